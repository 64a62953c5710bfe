import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createMessageEngine } from './engine.ts'
import type { MessageEngine, MessageEngineOptions } from './message-engine.ts'
import type { ToolPluginOptions } from './plugins/tools/options.ts'
import { toolPlugin } from './plugins/tools/tool-plugin.ts'
import type { EngineState } from './state.ts'
import {
  answer,
  approvalRequestChunks,
  callTools,
  responseChunks,
  scriptedTransport,
  stepChunks,
  toolCallChunks,
} from './testing/index.ts'

const inputSchema = z.object({})
const write = { toolCallId: '1', toolName: 'write', input: {} }

function setUp(
  script: Parameters<typeof scriptedTransport>[0],
  tools: ToolPluginOptions = {},
  { plugins = [], ...options }: Partial<MessageEngineOptions> = {},
) {
  const transport = scriptedTransport(script)
  const engine = createMessageEngine({
    transport,
    plugins: [toolPlugin({ defaultApproval: 'approved', ...tools }), ...plugins],
    onError: () => undefined,
    ...options,
  })
  return { engine, transport }
}

/** Acts once, in the publication of the first state that fits. */
function actWhen(
  engine: MessageEngine,
  isReached: (state: EngineState) => boolean,
  act: () => void,
): void {
  const stop = engine.subscribe(() => {
    if (!isReached(engine.getState())) return
    stop()
    act()
  })
}

describe('a subscriber that acts in the very publication it is told of', () => {
  it('aborts a turn in the moment it begins', async () => {
    const { engine, transport } = setUp([answer('hi')])
    actWhen(
      engine,
      (s) => s.requestState === 'processing',
      () => void engine.abort(),
    )
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'aborted' })
    expect(transport.requests).toHaveLength(0)
  })

  it('disposes an engine whose turn begins, and no request is made', async () => {
    const { engine, transport } = setUp([answer('hi')])
    actWhen(
      engine,
      (s) => s.requestState === 'processing',
      () => engine.dispose(),
    )
    expect(await engine.sendMessage('go')).toMatchObject({ error: { code: 'disposed' } })
    expect(transport.requests).toHaveLength(0)
  })

  it('aborts a turn in the moment it goes on after a pause, and no tool starts', async () => {
    const execute = vi.fn()
    const { engine, transport } = setUp([callTools(write), answer('next')], {
      tools: { write: { inputSchema, execute } },
      toolApproval: { write: 'user-approval' },
    })
    await engine.sendMessage('go')
    actWhen(
      engine,
      (s) => s.requestState === 'processing',
      () => void engine.abort(),
    )
    await engine.runPluginCommand('tool', 'resumeToolCall', { toolCallId: '1' })
    expect(engine.getState().requestState).toBe('aborted')
    expect(await engine.sendMessage('next')).toMatchObject({ requestState: 'completed' })
    expect(execute).not.toHaveBeenCalled()
    expect(transport.requests).toHaveLength(2)
  })

  it('sends a message in the moment of an abort, and that turn can be aborted too', async () => {
    const { engine, transport } = setUp([])
    transport.hold()
    transport.hold()
    actWhen(
      engine,
      (s) => s.requestState === 'processing',
      () => void engine.abort(),
    )
    let second: Promise<unknown> | undefined
    actWhen(
      engine,
      (s) => s.requestState === 'aborted',
      () => {
        second = engine.sendMessage('second')
      },
    )
    await engine.sendMessage('first')
    expect(engine.getState().requestState).toBe('processing')
    await engine.abort()
    expect(engine.getState().requestState).toBe('aborted')
    expect(await second).toMatchObject({ requestState: 'aborted' })
  })

  it('sends the next message in the moment a turn completes', async () => {
    const { engine } = setUp([answer('one'), answer('two')])
    let second: Promise<unknown> | undefined
    actWhen(
      engine,
      (s) => s.requestState === 'completed',
      () => {
        second = engine.sendMessage('second')
      },
    )
    expect(await engine.sendMessage('first')).toMatchObject({ requestState: 'completed' })
    expect(await second).toMatchObject({ requestState: 'completed' })
    expect(engine.getState().messages).toHaveLength(4)
  })

  it('is told of every change, also when frames are published at once', async () => {
    const { engine } = setUp(
      [answer(['a', 'b', 'c'])],
      {},
      {
        scheduleFrame: (publish) => {
          publish()
          return () => undefined
        },
      },
    )
    const texts: string[] = []
    engine.subscribe(() => {
      const part = engine.getState().messages.at(-1)?.parts.at(-1)
      if (part?.type === 'text' && part.state === 'streaming') texts.push(part.text)
    })
    await engine.sendMessage('go')
    expect(texts).toContain('a')
    expect(texts).toContain('ab')
  })
})

describe('an abort in the middle of what a turn does', () => {
  const publishAtOnce: MessageEngineOptions['scheduleFrame'] = (publish) => {
    publish()
    return () => undefined
  }

  it('when the step is noted that is about to be requested, so that no request is made', async () => {
    const { engine, transport } = setUp([answer('hi')], {}, { scheduleFrame: publishAtOnce })
    actWhen(
      engine,
      (s) => s.turn?.step === 1,
      () => void engine.abort(),
    )
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'aborted' })
    expect(transport.requests).toHaveLength(0)
  })

  it('when the first chunk shows, so that the answer is not begun', async () => {
    const { engine } = setUp([answer('hi')], {}, { scheduleFrame: publishAtOnce })
    actWhen(
      engine,
      (s) => s.processingState === 'completing',
      () => void engine.abort(),
    )
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'aborted' })
    expect(engine.getState().messages).toHaveLength(1)
  })

  it.each([
    ['first', [{ type: 'data-stop', data: 1 }, ...answer('hi').slice(1)]],
    ['later', [...answer('hi').slice(0, 4), { type: 'data-stop', data: 1 }]],
  ] as const)('when data comes %s, so that nothing more is written', async (which, chunks) => {
    const { engine } = setUp([[...chunks]], {}, { onData: () => void engine.abort() })
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'aborted' })
    expect(engine.getState().messages).toHaveLength(which === 'first' ? 1 : 2)
    expect(JSON.stringify(engine.getState().messages)).not.toContain('streaming')
  })

  it('and another turn that is opened in it is the only one', async () => {
    const { engine, transport } = setUp(
      [answer('one'), answer('two'), answer('three')],
      {},
      { scheduleFrame: publishAtOnce },
    )
    await engine.sendMessage('first')
    let other: Promise<unknown> | undefined
    actWhen(
      engine,
      (s) => s.messages.length === 3,
      () => {
        other = engine.regenerate()
      },
    )
    expect(await engine.sendMessage('second')).toMatchObject({ requestState: 'completed' })
    expect(await other).toMatchObject({ error: { code: 'busy' } })
    expect(transport.requests).toHaveLength(2)
  })

  it('when a decision shows, which then was made and noted to be sent', async () => {
    const guarded = responseChunks(
      { finishReason: 'tool-calls' },
      stepChunks(
        toolCallChunks({ ...write, providerExecuted: true }),
        approvalRequestChunks({ toolCallId: '1', approvalId: 'a' }),
      ),
    )
    const { engine } = setUp([guarded], {}, { scheduleFrame: publishAtOnce })
    await engine.sendMessage('go')
    actWhen(
      engine,
      (s) => JSON.stringify(s.messages).includes('approval-responded'),
      () => {
        expect(engine.getState().confirmations).toHaveLength(1)
        void engine.abort()
      },
    )
    await engine.runPluginCommand('tool', 'resumeToolCall', { toolCallId: '1' })
    expect(engine.getState().messages[1]?.parts.at(-1)).toMatchObject({
      state: 'output-denied',
      approval: { approved: false },
    })
  })
})
