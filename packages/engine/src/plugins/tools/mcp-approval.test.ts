import { convertToModelMessages, type UIMessage, type UIMessageChunk } from 'ai'
import { describe, expect, it } from 'vitest'
import { createToolEngine } from '../../../test/tool-engine.ts'
import { toolCallStatus } from '../../message/tool-part.ts'
import {
  answer,
  approvalRequestChunks,
  responseChunks,
  stepChunks,
  toolCallChunks,
  toolOutputChunks,
  untilState,
} from '../../testing/index.ts'

const asked = {
  toolCallId: 'mcpr_1',
  toolName: 'mcp.search',
  input: { q: 'x' },
  dynamic: true,
  providerExecuted: true,
}
const asking = responseChunks(
  { messageId: 'answer', finishReason: 'tool-calls' },
  stepChunks(
    toolCallChunks(asked),
    approvalRequestChunks({ toolCallId: 'mcpr_1', approvalId: 'mcpr_1' }),
  ),
)
/** The provider runs the call under an id of its own, as OpenAI does with MCP. */
const ran: UIMessageChunk[] = responseChunks(
  { messageId: 'answer' },
  stepChunks(
    toolCallChunks({ ...asked, toolCallId: 'mcp_7' }),
    toolOutputChunks('mcp_7', 'found').map((chunk) => ({ ...chunk, providerExecuted: true })),
    answer('Here it is.').slice(2, -2),
  ),
)

describe('a call that a provider runs and guards', () => {
  it('is answered once, and what ran arrives under another id', async () => {
    const { engine, resume, completed, calls, sentCalls, transport } = createToolEngine([
      asking,
      ran,
    ])
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'paused' })
    await resume({ toolCallId: 'mcpr_1' })
    await completed()
    const answered = {
      toolCallId: 'mcpr_1',
      state: 'approval-responded',
      approval: { id: 'mcpr_1', approved: true },
    }
    expect(sentCalls(2)).toMatchObject([answered])
    expect(transport.requests).toHaveLength(2)
    expect(calls()).toMatchObject([
      answered,
      { toolCallId: 'mcp_7', state: 'output-available', output: 'found' },
    ])
  })

  it('is not sent again, nor decided again, in later turns', async () => {
    const { engine, resume, completed, calls, transport } = createToolEngine([
      asking,
      ran,
      answer('hi'),
    ])
    await engine.sendMessage('go')
    await resume({ toolCallId: 'mcpr_1' })
    await completed()
    const before = calls()
    expect(await resume({ toolCallId: 'mcpr_1' })).toMatchObject({
      success: true,
    })
    expect(await engine.sendMessage('next')).toMatchObject({ requestState: 'completed' })
    expect(transport.requests).toHaveLength(3)
    expect(calls()).toEqual(before)
  })

  it('stays answered when it was denied', async () => {
    const { engine, resume, completed, calls } = createToolEngine([
      asking,
      answer('Then not.', { messageId: 'answer' }),
    ])
    await engine.sendMessage('go')
    await resume({ toolCallId: 'mcpr_1', outcome: 'no', reason: 'private' })
    await completed()
    expect(calls()).toMatchObject([
      { state: 'approval-responded', approval: { approved: false, reason: 'private' } },
    ])
  })

  it('has a result that says what is not known when it is cut off without one', async () => {
    const { engine, transport, calls } = createToolEngine([])
    const held = transport.hold()
    void engine.sendMessage('go')
    await held.push({ type: 'start' }, { type: 'start-step' }, ...toolCallChunks(asked))
    await engine.abort()
    expect(calls()).toMatchObject([
      { state: 'output-error', errorText: expect.stringMatching(/whether it ran is not known/) },
    ])
  })
})

describe('an approval of a call that a provider runs, when its turn is aborted', () => {
  /** What the model's provider would be told by the next request. */
  async function answersOf(messages: readonly UIMessage[] = []) {
    const sent = await convertToModelMessages([...messages])
    return sent.flatMap(({ role, content }) =>
      role === 'tool' ? content.filter(({ type }) => type === 'tool-approval-response') : [],
    )
  }

  it.each([
    ['was asked for and not decided', undefined, /it did not run/],
    ['was given and not sent', 'given', /it did not run/],
    ['was sent and has no result yet', 'sent', /not known/],
  ] as const)(
    'which %s, is declined, so that no later request runs it',
    async (_name, when, text) => {
      const other = { ...asked, toolCallId: 'mcpr_2' }
      const both = responseChunks(
        { messageId: 'answer', finishReason: 'tool-calls' },
        stepChunks(
          toolCallChunks(asked),
          approvalRequestChunks({ toolCallId: 'mcpr_1', approvalId: 'mcpr_1' }),
          toolCallChunks(other),
          approvalRequestChunks({ toolCallId: 'mcpr_2', approvalId: 'mcpr_2' }),
        ),
      )
      const { engine, resume, calls, transport } = createToolEngine([both])
      await engine.sendMessage('go')
      if (when) await resume({ toolCallId: 'mcpr_1' })
      if (when === 'sent') {
        const held = transport.hold()
        await resume({ toolCallId: 'mcpr_2' })
        await held.push({ type: 'start' }, { type: 'start-step' })
      }
      await engine.abort()
      expect(calls()[0]).toMatchObject({
        state: 'output-denied',
        approval: { id: 'mcpr_1', approved: false, reason: expect.stringMatching(text) },
        toolMetadata: { assent: { ended: 'cancelled' } },
      })
      expect(toolCallStatus(calls()[0]!)).toBe('cancelled')
      transport.add(answer('next'))
      await engine.sendMessage('next')
      expect(await answersOf(transport.requests.at(-1)?.messages)).toMatchObject([
        { approvalId: 'mcpr_1', approved: false },
        { approvalId: 'mcpr_2', approved: false },
      ])
    },
  )

  it('stays when its result has come, as the provider knows it', async () => {
    const { engine, resume, calls, transport } = createToolEngine([asking, ran])
    await engine.sendMessage('go')
    await resume({ toolCallId: 'mcpr_1' })
    await untilState(engine, ({ requestState }) => requestState === 'completed')
    const held = transport.hold()
    void engine.sendMessage('next')
    await held.push({ type: 'start' }, { type: 'start-step' })
    await engine.abort()
    expect(calls()[0]).toMatchObject({ state: 'approval-responded', approval: { approved: true } })
  })
})

describe('an approval of a call that the server runs', () => {
  const guarded = responseChunks(
    { messageId: 'answer', finishReason: 'tool-calls' },
    stepChunks(
      toolCallChunks({ ...asked, toolName: 'deploy', providerExecuted: false, toolCallId: '1' }),
      approvalRequestChunks({ toolCallId: '1', approvalId: 'a' }),
      toolCallChunks({ ...asked, toolName: 'deploy', providerExecuted: false, toolCallId: '2' }),
      approvalRequestChunks({ toolCallId: '2', approvalId: 'b' }),
    ),
  )

  it('is said not to have run it when it was aborted before it was sent', async () => {
    const { engine, resume, calls } = createToolEngine([guarded])
    await engine.sendMessage('go')
    await resume({ toolCallId: '1' })
    await engine.abort()
    expect(calls()[0]).toMatchObject({
      state: 'output-error',
      errorText: 'Aborted before the decision was sent; it did not run.',
    })
  })

  it('is said to be of unknown effect when it was aborted after it was sent', async () => {
    const { engine, resume, calls, transport } = createToolEngine([guarded])
    transport.hold({ unanswered: true })
    await engine.sendMessage('go')
    await resume({ toolCallId: '1' })
    await resume({ toolCallId: '2' })
    await transport.requested(2)
    await engine.abort()
    expect(calls()[0]).toMatchObject({
      state: 'output-error',
      errorText: 'Aborted before its result came; whether it ran is not known.',
    })
  })
})

describe('an approval that was sent', () => {
  it('is declined when what the provider ran is dropped, so that it does not run again', async () => {
    const { engine, resume, completed, sentCalls } = createToolEngine(
      [asking, ran, answer('once more')],
      {},
      {
        plugins: [
          {
            name: 'notes',
            commands: {
              note: (_payload, { appendMessage }) =>
                appendMessage({ id: 'note', role: 'user', parts: [{ type: 'text', text: 'x' }] }),
            },
          },
        ],
      },
    )
    await engine.sendMessage('go')
    await engine.runPluginCommand('notes', 'note')
    await resume({ toolCallId: 'mcpr_1' })
    await completed()
    expect(sentCalls(2)).toMatchObject([{ approval: { approved: true } }])
    await engine.regenerate()
    expect(sentCalls(3)).toMatchObject([
      {
        state: 'output-denied',
        approval: { approved: false, reason: expect.stringMatching(/not known/) },
      },
    ])
  })
})

describe('an approval that was given beside a call which waits', () => {
  it('is sent after a reload with the decision on that one', async () => {
    const answered = {
      ...asked,
      toolCallId: 'mcpr_1',
      approval: { id: 'mcpr_1', approved: true as const },
    }
    const waiting = { ...asked, toolCallId: 'mcpr_2', approval: { id: 'mcpr_2' } }
    const { engine, resume, completed, sentCalls } = createToolEngine(
      [answer('ok')],
      {},
      {
        messages: [
          {
            id: 'answer',
            role: 'assistant',
            parts: [
              { type: 'step-start' },
              { type: 'dynamic-tool', state: 'approval-responded', ...part(answered) },
              { type: 'dynamic-tool', state: 'approval-requested', ...part(waiting) },
            ],
          },
        ],
      },
    )
    expect(engine.getState().turn?.unsent).toMatchObject([{ toolCallId: 'mcpr_1' }])
    await resume({ toolCallId: 'mcpr_2', outcome: 'no' })
    await completed()
    expect(sentCalls(1)).toMatchObject([
      { toolCallId: 'mcpr_1', approval: { approved: true } },
      { toolCallId: 'mcpr_2', approval: { approved: false } },
    ])
  })
})

/** A streamed call as a part: only the type says `dynamic` there. */
function part<CALL extends { dynamic: boolean }>({ dynamic: _dynamic, ...call }: CALL) {
  return call
}
