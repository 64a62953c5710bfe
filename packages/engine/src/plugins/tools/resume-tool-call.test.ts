import type { UIMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createToolEngine } from '../../../test/tool-engine.ts'
import type { EnginePlugin } from '../../plugin.ts'
import { answer, callTools, untilState } from '../../testing/index.ts'

const call = (toolCallId: string, toolName = 'write') => ({ toolCallId, toolName, input: {} })
const inputSchema = z.object({})

/** Guarded writes that are counted, and a read that ends by hand. */
function tools() {
  const runs: string[] = []
  const reading = Promise.withResolvers<string>()
  return {
    runs,
    reading,
    options: {
      tools: {
        write: {
          inputSchema,
          execute: (_input: unknown, { toolCallId }: { toolCallId: string }) => {
            runs.push(toolCallId)
            return `written by ${toolCallId}`
          },
        },
        read: { inputSchema, execute: () => reading.promise },
      },
      toolApproval: { write: 'user-approval' as const },
    },
  }
}

describe('a decision', () => {
  it('names the call that it was about, and is recorded with it', async () => {
    const { options } = tools()
    const { engine, resume } = createToolEngine([callTools([call('1'), call('2')])], options, {
      now: () => 42,
    })
    await engine.sendMessage('go')
    const messageId = engine.getState().messages[1]?.id
    const ref = { messageId, step: 1, toolCallId: '2' }
    expect(await resume({ toolCallId: '2', outcome: 'no', reason: 'private' })).toEqual({
      success: true,
      result: { ...ref, settled: [] },
    })
    expect(engine.getState().confirmations).toEqual([
      {
        ...ref,
        id: expect.any(String),
        conversationId: engine.id,
        toolName: 'write',
        fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
        outcome: 'no',
        reason: 'private',
        at: 42,
      },
    ])
  })

  it("is made while another call of the step runs, with gate 'call'", async () => {
    const { options, runs, reading } = tools()
    const { engine, transport, resume, calls, sentCalls } = createToolEngine(
      [callTools([call('1', 'read'), call('2'), call('3')]), answer('ok')],
      { ...options, gate: 'call' },
    )
    const sent = engine.sendMessage('go')
    await untilState(engine, () => calls()[2]?.state === 'approval-requested')
    expect(engine.getState().processingState).toBe('calling-tools')
    expect(await resume({ toolCallId: '2' })).toMatchObject({ success: true })
    expect(await resume({ toolCallId: '3', outcome: 'no' })).toMatchObject({ success: true })
    await untilState(engine, () => calls()[1]?.state === 'output-available')
    expect(runs).toEqual(['2'])
    expect(transport.requests).toHaveLength(1)
    reading.resolve('read')
    expect(await sent).toMatchObject({ requestState: 'completed' })
    expect(sentCalls(2).map(({ state }) => state)).toEqual([
      'output-available',
      'output-available',
      'output-denied',
    ])
  })

  it('is none about a call of the same id in another step, which is asked about anew', async () => {
    const { options, runs } = tools()
    const { engine, resume, calls, completed } = createToolEngine(
      [callTools(call('1')), callTools(call('1')), answer('ok')],
      options,
    )
    await engine.sendMessage('go')
    await resume({ toolCallId: '1' })
    await untilState(engine, () => calls()[1]?.state === 'approval-requested')
    await untilState(engine, ({ requestState }) => requestState === 'paused')
    expect(engine.getState().turn?.pauseReason?.toolCalls).toMatchObject([{ step: 2 }])
    expect(await resume({ toolCallId: '1', step: 2, outcome: 'no' })).toMatchObject({
      result: { step: 2 },
    })
    await completed()
    expect(runs).toEqual(['1'])
    expect(calls().map(({ state }) => state)).toEqual(['output-available', 'output-denied'])
    expect(engine.getState().confirmations).toMatchObject([
      { step: 1, outcome: 'yes' },
      { step: 2, outcome: 'no' },
    ])
  })

  it('is none about a call of the same id in an earlier turn', async () => {
    const { options } = tools()
    const earlier: UIMessage = {
      id: 'earlier',
      role: 'assistant',
      parts: [
        { type: 'step-start' },
        {
          type: 'tool-write',
          toolCallId: '1',
          state: 'output-available',
          input: {},
          output: 'earlier',
          approval: { id: 'assent-0', approved: true },
        },
      ],
    }
    const { engine, resume, completed, calls } = createToolEngine(
      [callTools(call('1')), answer('ok')],
      options,
      { messages: [earlier] },
    )
    await engine.sendMessage('go')
    expect(await resume({ toolCallId: '1', messageId: 'earlier' })).toMatchObject({
      success: true,
      result: { messageId: 'earlier' },
    })
    expect(engine.getState().confirmations).toEqual([])
    expect(calls()[1]).toMatchObject({ state: 'approval-requested' })
    const { messageIds } = engine.getState()
    expect(await resume({ toolCallId: '1', messageId: messageIds[2]! })).toMatchObject({
      success: true,
    })
    await completed()
    expect(calls()).toMatchObject([{ output: 'earlier' }, { output: 'written by 1' }])
  })

  it.each([
    ['a reason that is no text', { reason: 42 }, 'invalid_argument'],
    ['a message id that is no text', { messageId: 42 }, 'invalid_argument'],
    ['an outcome of every object', { outcome: 'toString' }, 'invalid_argument'],
    ['another message', { messageId: 'nobody' }, 'unknown_tool_call'],
    ['an empty id', { toolCallId: '' }, 'unknown_tool_call'],
    ['an id that is no text', { toolCallId: ['1'] }, 'invalid_argument'],
  ])('is refused with %s, and changes nothing', async (_name, payload, code) => {
    const { options } = tools()
    const { engine, resume } = createToolEngine([callTools(call('1'))], options)
    await engine.sendMessage('go')
    const before = engine.getState()
    expect(await resume({ toolCallId: '1', ...payload } as never)).toMatchObject({
      success: false,
      error: { code },
    })
    expect(engine.getState()).toBe(before)
  })

  it('is refused about a call that runs, and about one that nobody was asked about', async () => {
    const { options, reading } = tools()
    const { engine, resume, calls } = createToolEngine(
      [callTools(call('1', 'read')), answer('ok')],
      options,
    )
    const sent = engine.sendMessage('go')
    await untilState(engine, ({ processingState }) => processingState === 'calling-tools')
    const refused = { error: { code: 'not_awaiting_approval', details: { isSettled: false } } }
    expect(await resume({ toolCallId: '1' })).toMatchObject(refused)
    reading.resolve('read')
    await sent
    expect(calls()).toMatchObject([{ output: 'read' }])
    expect(await resume({ toolCallId: '1' })).toMatchObject({
      error: { code: 'not_awaiting_approval', details: { isSettled: true } },
    })
  })

  it('is a no-op when the same yes comes again to a call that awaits its output by then', async () => {
    const { engine, resume, calls } = createToolEngine([callTools(call('1', 'ask'))], {
      tools: { ask: { inputSchema } },
      toolApproval: { ask: 'user-approval' },
    })
    await engine.sendMessage('go')
    await resume({ toolCallId: '1' })
    await untilState(engine, ({ turn }) => turn?.pauseReason?.type === 'output')
    expect(await resume({ toolCallId: '1' })).toMatchObject({
      success: true,
      result: { settled: [] },
    })
    expect(
      await resume({ toolCallId: '1', outcome: 'yes_always', scope: { covers: 'tool' } }),
    ).toMatchObject({
      error: { code: 'not_awaiting_approval' },
    })
    expect(engine.getState().confirmations).toHaveLength(1)
    expect(await resume({ toolCallId: '1', outcome: 'no' })).toMatchObject({ success: true })
    expect(calls()).toMatchObject([{ state: 'output-denied' }])
  })

  it('is a no-op when the same edit comes again, also one back to what the model gave', async () => {
    const { options } = tools()
    const schema = z.object({ path: z.string() })
    let ask: () => 'user-approval' = () => 'user-approval'
    const { engine, resume, calls } = createToolEngine(
      [callTools([{ toolCallId: '1', toolName: 'edit', input: { path: 'a' } }, call('2')])],
      {
        ...options,
        gate: 'call',
        concurrency: 1,
        tools: { ...options.tools, edit: { inputSchema: schema, execute: () => 'edited' } },
        toolApproval: { edit: () => ask(), write: 'user-approval' },
      },
    )
    await engine.sendMessage('go')
    ask = () => {
      throw new Error('broken')
    }
    const isAsked = () => calls()[0]?.state === 'approval-requested'
    for (const path of ['b', 'a']) {
      const decision = { toolCallId: '1', input: { path } }
      const first = resume(decision)
      const again = resume(decision)
      expect(await first).toMatchObject({ success: true })
      expect(await again).toMatchObject({ success: true, result: { settled: [] } })
      await untilState(engine, isAsked)
    }
    expect(engine.getState().confirmations).toHaveLength(2)
  })

  it('runs a call with an input that is edited to nothing', async () => {
    const ran: unknown[] = []
    const { engine, resume, completed } = createToolEngine(
      [callTools({ toolCallId: '1', toolName: 'set', input: { value: 1 } }), answer('ok')],
      {
        tools: {
          set: {
            inputSchema: z.object({ value: z.number() }).nullable(),
            execute: (input: unknown) => void ran.push(input),
          },
        },
        toolApproval: { set: 'user-approval' },
      },
    )
    await engine.sendMessage('go')
    expect(await resume({ toolCallId: '1', input: null })).toMatchObject({ success: true })
    await completed()
    expect(ran).toEqual([null])
  })

  it('is refused when the call changed between the click and the time that it takes', async () => {
    const { options, runs } = tools()
    const change: EnginePlugin = {
      name: 'meddler',
      commands: {
        change: (_payload, { getState, updateMessage }) => {
          const { id = '' } = getState().messages.at(-1) ?? {}
          updateMessage(id, (message) => ({
            ...message,
            parts: message.parts.map((part) =>
              part.type === 'tool-write' ? { ...part, input: { path: 'elsewhere' } } : part,
            ),
          }))
        },
      },
    }
    const { engine, resume, calls } = createToolEngine([callTools(call('1'))], options, {
      plugins: [change],
    })
    await engine.sendMessage('go')
    // The first always waits until the schemas of the tools are known.
    const decided = resume({ toolCallId: '1', outcome: 'yes_always', scope: { covers: 'tool' } })
    await engine.runPluginCommand('meddler', 'change')
    expect(await decided).toMatchObject({ error: { code: 'call_changed' } })
    expect(calls()).toMatchObject([{ state: 'approval-requested' }])
    expect(runs).toEqual([])
  })
})
