import { jsonSchema, type UIMessage } from 'ai'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createToolEngine } from '../../../test/tool-engine.ts'
import { answer, callTools, untilState } from '../../testing/index.ts'
import { toolPlugin } from './tool-plugin.ts'

const inputSchema = z.object({})
const write = { toolCallId: '1', toolName: 'write', input: {} }

describe('a result', () => {
  it('is sent although a change is told of in the very moment in which it is written', async () => {
    const { engine, transport, calls, sentCalls } = createToolEngine(
      [callTools(write), answer('ok')],
      { tools: { write: { inputSchema, execute: () => 'written' } } },
      {
        plugins: [{ name: 'watch', commands: { look: (_payload, { advance }) => advance() } }],
        scheduleFrame: (publish) => {
          publish()
          return () => undefined
        },
      },
    )
    engine.subscribe(() => {
      const isWritten = calls().some(({ state }) => state === 'output-available')
      if (isWritten) void engine.runPluginCommand('watch', 'look')
    })
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
    expect(transport.requests).toHaveLength(2)
    expect(sentCalls(2)).toMatchObject([{ output: 'written' }])
  })

  it('is asked for once when several calls end in the same moment', async () => {
    const ends = [1, 2, 3].map(() => Promise.withResolvers<string>())
    const { engine, transport } = createToolEngine(
      [callTools(ends.map((_, index) => ({ ...write, toolCallId: `${index}` }))), answer('ok')],
      {
        tools: {
          write: {
            inputSchema,
            execute: (_input, { toolCallId }) => ends[Number(toolCallId)]!.promise,
          },
        },
      },
    )
    const sent = engine.sendMessage('go')
    await untilState(engine, (s) => JSON.stringify(s.messages).split('startedAt').length === 4)
    for (const { resolve } of ends) resolve('done')
    await sent
    expect(transport.requests).toHaveLength(2)
  })
})

describe('a tool', () => {
  it('does not start when its turn is aborted before it has the messages it is given', async () => {
    const execute = vi.fn()
    const converted = Promise.withResolvers<[]>()
    const isConverting = Promise.withResolvers<void>()
    const { engine } = createToolEngine([callTools(write), answer('next')], {
      tools: { write: { inputSchema, execute } },
      toModelMessages: () => {
        isConverting.resolve()
        return converted.promise
      },
    })
    const sent = engine.sendMessage('go')
    await isConverting.promise
    await engine.abort()
    converted.resolve([])
    await sent
    expect(await engine.sendMessage('next')).toMatchObject({ requestState: 'completed' })
    expect(execute).not.toHaveBeenCalled()
  })

  it.each(['an AI SDK schema without a validator', 'a schema that lets all through'] as const)(
    'cannot change what the call shows, with %s',
    async (which) => {
      const { engine, calls } = createToolEngine(
        [callTools({ ...write, input: { deep: { path: 'a' } } }), answer('ok')],
        {
          tools: {
            write: {
              inputSchema: which.startsWith('an AI')
                ? jsonSchema<{ deep: { path: string } }>({ type: 'object' })
                : z.object({ deep: z.any() }),
              execute: (input) => {
                input.deep.path = 'changed'
                return 'written'
              },
            },
          },
        },
      )
      await engine.sendMessage('go')
      expect(calls()).toMatchObject([{ input: { deep: { path: 'a' } }, output: 'written' }])
    },
  )
})

describe('a check that is still pending when its turn is aborted', () => {
  it('does not hold up the same call of the step that is asked for again', async () => {
    const isAsked = Promise.withResolvers<void>()
    let checks = 0
    const execute = vi.fn(() => 'written')
    const { engine, transport } = createToolEngine(
      [callTools({ ...write, toolName: 'read' }), callTools(write)],
      {
        tools: { write: { inputSchema, execute }, read: { inputSchema, execute: () => 'content' } },
        toolApproval: {
          write: () => {
            isAsked.resolve()
            return ++checks === 1 ? new Promise(() => undefined) : 'approved'
          },
        },
      },
    )
    void engine.sendMessage('go')
    await isAsked.promise
    await engine.abort()
    transport.add(callTools(write), answer('ok'))
    expect(await engine.retry()).toMatchObject({ requestState: 'completed' })
    expect(execute).toHaveBeenCalledTimes(1)
  })

  it('fails its call when its decision cannot be written, and the turn goes on', async () => {
    let isBroken = false
    let ids = 0
    const { engine, calls, transport } = createToolEngine(
      [callTools(write), answer('ok')],
      {
        tools: { write: { inputSchema, execute: () => 'written' } },
        toolApproval: {
          write: () => {
            isBroken = true
            return 'user-approval'
          },
        },
      },
      {
        generateId: () => {
          if (!isBroken) return `id-${++ids}`
          isBroken = false
          throw new Error('no entropy')
        },
      },
    )
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
    expect(calls()).toMatchObject([
      { state: 'output-error', errorText: expect.stringContaining('no entropy') },
    ])
    expect(transport.requests).toHaveLength(2)
  })
})

describe("a check before the start that asks again, with gate 'step'", () => {
  it('holds the other calls of the step until that is decided too', async () => {
    const checked = Promise.withResolvers<void>()
    const isChecking = Promise.withResolvers<void>()
    let checks = 0
    const ran: string[] = []
    const act = (name: string) => ({ inputSchema, execute: () => void ran.push(name) })
    const { engine, resume, calls, completed } = createToolEngine(
      [callTools([write, { ...write, toolName: 'read', toolCallId: '2' }]), answer('ok')],
      {
        tools: { write: act('write'), read: act('read') },
        toolApproval: {
          write: async () => {
            if (++checks !== 2) return 'user-approval' as const
            isChecking.resolve()
            await checked.promise
            throw new Error('the rule is broken')
          },
        },
      },
    )
    await engine.sendMessage('go')
    await resume({ toolCallId: '1' })
    await isChecking.promise
    checked.resolve()
    await untilState(engine, ({ requestState }) => requestState === 'paused')
    expect(ran).toEqual([])
    expect(calls()).toMatchObject([{ state: 'approval-requested' }, { state: 'input-available' }])
    await resume({ toolCallId: '1' })
    await completed()
    expect(ran).toEqual(['write', 'read'])
  })
})

describe('restored messages with two calls of one id in one step', () => {
  it('ask about the first, and run it once', async () => {
    const asked = (id: string): UIMessage['parts'][number] => ({
      type: 'tool-write',
      toolCallId: '1',
      state: 'approval-requested',
      input: { id },
      approval: { id: `assent-${id}` },
    })
    const execute = vi.fn(() => 'written')
    const { engine, calls, resume, completed } = createToolEngine(
      [answer('ok')],
      { tools: { write: { inputSchema: z.object({ id: z.string() }), execute } }, gate: 'call' },
      {
        messages: [
          { id: 'a', role: 'assistant', parts: [{ type: 'step-start' }, asked('x'), asked('y')] },
        ],
      },
    )
    expect(engine.getState().turn?.pauseReason?.toolCalls).toHaveLength(1)
    expect(await resume({ toolCallId: '1' })).toMatchObject({ success: true })
    expect(await resume({ toolCallId: '1', outcome: 'no' })).toMatchObject({ success: false })
    await completed()
    expect(execute).toHaveBeenCalledExactlyOnceWith({ id: 'x' }, expect.anything())
    expect(calls()).toMatchObject([{ state: 'output-available' }, { state: 'output-error' }])
  })
})

describe('the options of the plugin', () => {
  it.each([0, -1, Number.NaN, 0.5])('refuse a concurrency of %d', (concurrency) => {
    expect(() => toolPlugin({ concurrency })).toThrow(
      expect.objectContaining({ code: 'invalid_argument' }),
    )
  })
})
