import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createToolEngine } from '../../../test/tool-engine.ts'
import { answer, callTools, untilState } from '../../testing/index.ts'
import type { ToolPluginOptions } from './options.ts'

const inputSchema = z.object({})
const call = (toolCallId: string, toolName: string) => ({ toolCallId, toolName, input: {} })
const failing = {
  inputSchema,
  execute: () => {
    throw new Error('disk full')
  },
}
const working = { inputSchema, execute: () => 'done' }

/** Callbacks that note what they are told. */
function noting() {
  const notes: unknown[] = []
  const callbacks: Pick<ToolPluginOptions, 'onToolCallStart' | 'onToolCallEnd'> = {
    onToolCallStart: ({ toolCallId }) => void notes.push(['start', toolCallId]),
    onToolCallEnd: ({ toolCallId }, { status, error }) =>
      void notes.push(['end', toolCallId, status, error instanceof Error ? error.message : error]),
  }
  return { notes, callbacks }
}

describe('onToolCallStart and onToolCallEnd', () => {
  it('are called once for each call that runs here, with how it ended', async () => {
    const { notes, callbacks } = noting()
    const { engine } = createToolEngine(
      [callTools([call('1', 'work'), call('2', 'fail')]), answer('ok')],
      { tools: { work: working, fail: failing }, concurrency: 1, ...callbacks },
    )
    await engine.sendMessage('go')
    expect(notes).toEqual([
      ['start', '1'],
      ['end', '1', 'success', undefined],
      ['start', '2'],
      ['end', '2', 'error', 'disk full'],
    ])
  })

  it('are not called for calls that never ran', async () => {
    const { notes, callbacks } = noting()
    const { engine, resume, completed } = createToolEngine(
      [
        callTools([
          call('1', 'unknown'),
          { ...call('2', 'work'), input: 'invalid' },
          call('3', 'guarded'),
          call('4', 'forbidden'),
        ]),
        answer('ok'),
      ],
      {
        tools: { work: working, guarded: working, forbidden: working },
        toolApproval: { guarded: 'user-approval', forbidden: 'denied' },
        ...callbacks,
      },
    )
    await engine.sendMessage('go')
    await resume({ toolCallId: '3', outcome: 'no' })
    await completed()
    expect(notes).toEqual([])
  })

  it('are given the call and what plugins are given', async () => {
    const given: unknown[] = []
    const { engine } = createToolEngine(
      [callTools(call('1', 'work')), answer('ok')],
      {
        tools: { work: working },
        onToolCallStart: ({ toolName, input, step }, context) => {
          given.push([toolName, input, step, context.customContext])
          context.setCustomContext({ count: 1 })
        },
        onToolCallEnd: ({ toolName }, { customContext, status, turn }) => {
          given.push([toolName, customContext, status, turn?.id])
        },
      },
      { plugins: [{ onTurnStart: (context) => context.setCustomContext({ who: 'ada' }) }] },
    )
    const { turnId } = await engine.sendMessage('go')
    expect(given).toEqual([
      ['work', {}, 1, { who: 'ada' }],
      ['work', { who: 'ada', count: 1 }, 'success', turnId],
    ])
  })

  it('are told of a call that its turn took with it', async () => {
    const { notes, callbacks } = noting()
    const started = Promise.withResolvers<void>()
    const { engine } = createToolEngine([callTools(call('1', 'work'))], {
      tools: {
        work: {
          inputSchema,
          execute: () => {
            started.resolve()
            return new Promise(() => undefined)
          },
        },
      },
      ...callbacks,
    })
    void engine.sendMessage('go')
    await started.promise
    await engine.abort()
    expect(notes).toEqual([
      ['start', '1'],
      ['end', '1', 'cancelled', 'The turn was aborted.'],
    ])
  })

  it('find the result in the state when the call ended', async () => {
    const outputs: unknown[] = []
    const made = createToolEngine([callTools(call('1', 'work')), answer('ok')], {
      tools: { work: working },
      onToolCallEnd: () => void outputs.push(made.calls()[0]?.output),
    })
    await made.engine.sendMessage('go')
    expect(outputs).toEqual(['done'])
  })

  it('start no tool when the start aborts the turn', async () => {
    const { notes, callbacks } = noting()
    const started: string[] = []
    const made = createToolEngine([callTools([call('1', 'work'), call('2', 'work')])], {
      tools: { work: { inputSchema, execute: () => void started.push('work') } },
      ...callbacks,
      onToolCallStart: (...args) => {
        callbacks.onToolCallStart?.(...args)
        void made.engine.abort()
      },
    })
    await made.engine.sendMessage('go')
    await untilState(made.engine, ({ requestState }) => requestState === 'aborted')
    expect(started).toEqual([])
    expect(notes).toEqual([
      ['start', '1'],
      ['end', '1', 'cancelled', 'The turn was aborted.'],
    ])
    expect(made.calls().map(({ state }) => state)).toEqual(['output-error', 'output-error'])
  })
})

describe('the description of a call', () => {
  it('has the summary of what its tool will be given, and the risk', async () => {
    const { engine, calls } = createToolEngine(
      [callTools({ ...call('1', 'work'), input: { n: 2 } })],
      {
        tools: {
          work: {
            inputSchema: z.object({ n: z.number(), unit: z.string().default('cups') }),
            execute: () => 'done',
          },
        },
        toolApproval: { work: 'user-approval' },
        toolOptions: {
          work: { summary: ({ n, unit }) => `Take ${n} ${unit}`, risk: 'write' },
        },
      },
    )
    await engine.sendMessage('go')
    expect(calls()).toMatchObject([
      { toolMetadata: { assent: { summary: 'Take 2 cups', risk: 'write' } } },
    ])
  })

  it('is none when its summary throws, which is reported once', async () => {
    const { engine, calls, errors, resume, completed } = createToolEngine(
      [callTools(call('1', 'work')), callTools(call('2', 'work')), answer('ok')],
      {
        tools: { work: working },
        toolApproval: { work: 'user-approval' },
        toolOptions: {
          work: {
            risk: 'write',
            summary: () => {
              throw new Error('no words')
            },
          },
        },
      },
    )
    await engine.sendMessage('go')
    expect(errors).toMatchObject([{ code: 'callback_failed', cause: { message: 'no words' } }])
    expect(calls()).toMatchObject([{ toolMetadata: { assent: { risk: 'write' } } }])
    await resume({ toolCallId: '1' })
    await untilState(engine, () => calls()[1]?.state === 'approval-requested')
    await untilState(engine, ({ requestState }) => requestState === 'paused')
    expect(errors).toHaveLength(2)
    await resume({ toolCallId: '2' })
    await completed()
    expect(errors).toHaveLength(2)
  })

  it('stays what it was once it is written', async () => {
    let summaries = 0
    const { engine, calls } = createToolEngine(
      [callTools(call('1', 'work')), callTools(call('2', 'work')), answer('ok')],
      {
        tools: { work: working },
        toolOptions: { work: { summary: () => `Summary ${++summaries}` } },
      },
    )
    await engine.sendMessage('go')
    expect(calls()).toMatchObject([
      { toolMetadata: { assent: { summary: 'Summary 1' } } },
      { toolMetadata: { assent: { summary: 'Summary 2' } } },
    ])
  })

  it('is written beside calls that run elsewhere, and leaves their own metadata alone', async () => {
    const elsewhere = {
      ...call('1', 'search'),
      providerExecuted: true,
      toolMetadata: { server: 'mcp' },
    }
    const { engine, calls } = createToolEngine([callTools(elsewhere)], {
      knownTools: ['search'],
      toolOptions: { search: { summary: () => 'Search', risk: 'read' } },
    })
    await engine.sendMessage('go')
    expect(calls()).toMatchObject([
      { toolMetadata: { server: 'mcp', assent: { summary: 'Search', risk: 'read' } } },
    ])
  })
})
