import type { UIMessageChunk } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createToolEngine } from '../../../test/tool-engine.ts'
import {
  answer,
  approvalRequestChunks,
  responseChunks,
  stepChunks,
  toolCallChunks,
  toolOutputChunks,
  untilState,
} from '../../testing/index.ts'

const call = (toolCallId: string, toolName = 'deploy') => ({
  toolCallId,
  toolName,
  input: { to: 'eu' },
})
const asking = (...chunks: UIMessageChunk[][]) =>
  responseChunks({ messageId: 'answer', finishReason: 'tool-calls' }, stepChunks(...chunks))
const guarded = (toolCallId: string) => [
  ...toolCallChunks(call(toolCallId)),
  ...approvalRequestChunks({ toolCallId }),
]
/** The server ran what was approved and goes on in the same message. */
const ranOnServer = (toolCallId: string, output: unknown): UIMessageChunk[] => [
  { type: 'start', messageId: 'answer' },
  ...toolOutputChunks(toolCallId, output),
  ...answer('done').slice(1),
]
const inputSchema = z.object({})

describe('a call that the server guards', () => {
  it('waits for a person, keeps all that its request said, and is answered in the next request', async () => {
    const said = {
      descriptor: { risk: 'write', preview: ['a'] },
      inputSchemaInput: { to: 'eu', at: null },
      signature: 'hmac',
    }
    const { engine, resume, completed, calls, sentCalls, transport } = createToolEngine([
      asking(
        toolCallChunks(call('1')),
        approvalRequestChunks({
          toolCallId: '1',
          approvalId: 'a-1',
          approvalDescriptor: said.descriptor,
          inputSchemaInput: said.inputSchemaInput,
          signature: said.signature,
          reason: 'It goes live.',
        }),
      ),
      ranOnServer('1', 'deployed'),
    ])
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'paused' })
    const requested = { ...said, id: 'a-1', requestReason: 'It goes live.' }
    expect(calls()).toMatchObject([{ state: 'approval-requested' }])
    expect(calls()[0]?.approval).toEqual(requested)
    expect(await resume({ toolCallId: '1', reason: 'go live' })).toMatchObject({ success: true })
    await completed()
    expect(sentCalls(2)).toMatchObject([{ state: 'approval-responded', input: { to: 'eu' } }])
    expect(sentCalls(2)[0]?.approval).toEqual({ ...requested, approved: true, reason: 'go live' })
    expect(transport.requests[1]).toMatchObject({ trigger: 'submit-message', messageId: 'answer' })
    expect(calls()).toMatchObject([{ state: 'output-available', output: 'deployed' }])
    expect(engine.getState().messages.map(({ id }) => id)).toEqual([expect.any(String), 'answer'])
    expect(engine.getState().confirmations).toMatchObject([
      { toolCallId: '1', toolName: 'deploy', outcome: 'yes', reason: 'go live' },
    ])
  })

  it('goes straight to the request, without running anything here', async () => {
    const { engine, resume, completed } = createToolEngine(
      [asking(guarded('1')), ranOnServer('1', 'deployed')],
      { callTool: () => expect.unreachable('it runs on the server') },
    )
    await engine.sendMessage('go')
    const states: unknown[] = []
    engine.subscribe(() => {
      const { requestState, processingState } = engine.getState()
      states.push(processingState ?? requestState)
    })
    await resume({ toolCallId: '1' })
    await completed()
    expect(states).not.toContain('calling-tools')
  })

  it('is denied with a reason, which is sent, and has a result when the server says nothing', async () => {
    const { engine, resume, completed, calls, sentCalls } = createToolEngine([
      asking(guarded('1')),
      answer('fine', { messageId: 'answer' }),
    ])
    await engine.sendMessage('go')
    await resume({ toolCallId: '1', outcome: 'no', reason: 'not today' })
    await completed()
    expect(sentCalls(2)).toMatchObject([
      { state: 'approval-responded', approval: { approved: false, reason: 'not today' } },
    ])
    expect(calls()).toMatchObject([{ state: 'output-denied', approval: { reason: 'not today' } }])
  })

  it('is denied when the server says so', async () => {
    const { engine, resume, completed, calls } = createToolEngine([
      asking(guarded('1')),
      [
        { type: 'start', messageId: 'answer' },
        { type: 'tool-output-denied', toolCallId: '1' },
        ...answer('fine').slice(1),
      ],
    ])
    await engine.sendMessage('go')
    await resume({ toolCallId: '1', outcome: 'no' })
    await completed()
    expect(calls()).toMatchObject([{ state: 'output-denied', approval: { approved: false } }])
  })

  it('has a result that says what is not known when the server never brings one', async () => {
    const { engine, resume, completed, calls } = createToolEngine([
      asking(guarded('1')),
      answer('hm', { messageId: 'answer' }),
    ])
    await engine.sendMessage('go')
    await resume({ toolCallId: '1' })
    await completed()
    expect(calls()).toMatchObject([
      {
        state: 'output-error',
        errorText: expect.stringMatching(/whether it ran is not known/),
        toolMetadata: { assent: { ended: 'interrupted' } },
      },
    ])
  })
})

describe('several calls that the server guards', () => {
  it('are sent together, once the last of them is decided', async () => {
    const { engine, resume, completed, sentCalls, transport } = createToolEngine([
      asking(guarded('1'), guarded('2')),
      [
        { type: 'start', messageId: 'answer' },
        ...toolOutputChunks('1', 'deployed'),
        { type: 'tool-output-denied', toolCallId: '2' },
        ...answer('done').slice(1),
      ],
    ])
    await engine.sendMessage('go')
    await resume({ toolCallId: '2', outcome: 'no' })
    expect(engine.getState().requestState).toBe('paused')
    expect(transport.requests).toHaveLength(1)
    await resume({ toolCallId: '1' })
    await completed()
    expect(sentCalls(2)).toMatchObject([
      { approval: { approved: true } },
      { approval: { approved: false } },
    ])
    expect(transport.requests).toHaveLength(2)
  })

  it.each(['step', 'call'] as const)(
    "beside one that runs here are sent when that has its result, with gate '%s'",
    async (gate) => {
      const working = Promise.withResolvers<string>()
      const started = Promise.withResolvers<void>()
      const { engine, resume, completed, calls, sentCalls, transport } = createToolEngine(
        [asking(toolCallChunks(call('1', 'work')), guarded('2')), ranOnServer('2', 'deployed')],
        {
          gate,
          tools: {
            work: {
              inputSchema,
              execute: () => {
                started.resolve()
                return working.promise
              },
            },
          },
          toolApproval: { work: 'user-approval' },
        },
      )
      await engine.sendMessage('go')
      await resume({ toolCallId: '2' })
      expect(engine.getState().requestState).toBe('paused')
      await resume({ toolCallId: '1' })
      await started.promise
      expect(calls()[1]).toMatchObject({ state: 'approval-responded' })
      expect(transport.requests).toHaveLength(1)
      working.resolve('worked')
      await completed()
      expect(sentCalls(2)).toMatchObject([
        { state: 'output-available', output: 'worked' },
        { state: 'approval-responded', approval: { approved: true } },
      ])
    },
  )

  it('keep a free call that runs here from starting while they wait, with gate step', async () => {
    const runs: string[] = []
    const { engine, resume, completed, sentCalls } = createToolEngine(
      [asking(toolCallChunks(call('1', 'work')), guarded('2')), ranOnServer('2', 'deployed')],
      { tools: { work: { inputSchema, execute: () => void runs.push('work') } } },
    )
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'paused' })
    expect(runs).toEqual([])
    await resume({ toolCallId: '2' })
    await completed()
    expect(runs).toEqual(['work'])
    expect(sentCalls(2)).toMatchObject([
      { state: 'output-available' },
      { state: 'approval-responded' },
    ])
  })
})

describe('an automatic approval of the server', () => {
  it('needs no decision, and its result comes with the same stream', async () => {
    const { engine, calls, transport } = createToolEngine([
      asking(
        toolCallChunks(call('1')),
        approvalRequestChunks({ toolCallId: '1', approvalId: 'a', isAutomatic: true }),
        [{ type: 'tool-approval-response', approvalId: 'a', approved: true }],
        toolOutputChunks('1', 'deployed'),
      ),
    ])
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
    expect(calls()).toMatchObject([{ output: 'deployed', approval: { isAutomatic: true } }])
    expect(transport.requests).toHaveLength(1)
  })

  it('cannot be decided by a person', async () => {
    const { engine, resume, transport } = createToolEngine([])
    const held = transport.hold()
    const sent = engine.sendMessage('go')
    const chunks = asking(
      toolCallChunks(call('1')),
      approvalRequestChunks({ toolCallId: '1', isAutomatic: true }),
      guarded('2'),
    )
    await held.push(...chunks)
    held.end()
    await sent
    await untilState(engine, ({ requestState }) => requestState === 'paused')
    expect(engine.getState().turn?.pauseReason?.toolCalls).toMatchObject([{ toolCallId: '2' }])
    expect(await resume({ toolCallId: '1' })).toMatchObject({
      error: { code: 'not_awaiting_approval' },
    })
  })
})
