import type { UIMessageChunk } from 'ai'
import { describe, expect, it } from 'vitest'
import { createToolEngine } from '../../../test/tool-engine.ts'
import {
  answer,
  approvalRequestChunks,
  responseChunks,
  stepChunks,
  toolCallChunks,
  toolOutputChunks,
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
      error: { code: 'already_decided' },
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
