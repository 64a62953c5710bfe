import {
  DefaultChatTransport,
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  readUIMessageStream,
  tool,
  type ToolSet,
  type UIMessage,
} from 'ai'
import { describe, expect, test } from 'vitest'
import { connectEngine } from '../../test/chat-client.ts'
import { callsAndResults, inputSchema, mixed, startGated } from '../../test/gated-server.ts'
import type { ModelStep } from '../../test/scripted-model.ts'

describe('a step with a call of the page', () => {
  const tools = (ran: string[]): ToolSet => ({
    note: tool({
      inputSchema,
      execute: ({ to }) => {
        ran.push(to)
        return `${to}: noted`
      },
    }),
  })
  const shared: ModelStep = [
    ['1', 'look', { to: 'a' }],
    ['2', 'note', { to: 'b' }],
  ]

  test('runs nothing here before the page, which asks, has run its own', async () => {
    const { api, effects, model, errors } = await startGated([shared, 'Done.'])
    const ran: string[] = []
    const chat = connectEngine(api, { tools: tools(ran), toolApproval: { note: 'user-approval' } })
    expect(await chat.engine.sendMessage('go')).toMatchObject({ requestState: 'paused' })
    expect([...effects, ...ran]).toEqual([])
    await chat.resume({ toolCallId: '2' })
    await chat.completed()
    expect([...ran, ...effects]).toEqual(['b', 'look a'])
    expect(callsAndResults(model.doStreamCalls[1]?.prompt).results).toEqual(['1', '2'])
    expect(chat.text()).toBe('Done.')
    expect(errors).toEqual([])
  })

  test('that the page runs without asking is one turn, too', async () => {
    const { api, effects } = await startGated([shared, 'Done.'])
    const ran: string[] = []
    const chat = connectEngine(api, { tools: tools(ran) })
    expect(await chat.engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
    expect([...ran, ...effects]).toEqual(['b', 'look a'])
    expect(chat.calls().map(({ state }) => state)).toEqual(['output-available', 'output-available'])
  })

  test('can be denied by the rules of the server', async () => {
    const { api, model } = await startGated([[['1', 'note', { to: 'b' }]], 'Not that.'], {
      toolApproval: ({ toolCall }) => (toolCall.toolName === 'note' ? 'denied' : undefined),
    })
    const ran: string[] = []
    const chat = connectEngine(api, { tools: tools(ran) })
    await chat.engine.sendMessage('go')
    expect(ran).toEqual([])
    expect(chat.text()).toBe('Not that.')
    expect(model.doStreamCalls).toHaveLength(2)
  })
})

describe("with the AI SDK's own transport", () => {
  test('a held step goes on as soon as its own rule for sending says so', async () => {
    const { api, effects } = await startGated([mixed, 'All done.'])
    const transport = new DefaultChatTransport<UIMessage>({ api })
    const messages: UIMessage[] = [{ id: 'u', role: 'user', parts: [{ type: 'text', text: 'go' }] }]
    const post = async () => {
      const last = messages.at(-1)
      const stream = await transport.sendMessages({
        trigger: 'submit-message',
        chatId: 'chat',
        messageId: undefined,
        messages,
        abortSignal: undefined,
      })
      const snapshots = readUIMessageStream<UIMessage>({
        stream,
        ...(last?.role === 'assistant' && { message: structuredClone(last) }),
      })
      let answer: UIMessage | undefined
      for await (const snapshot of snapshots) answer = snapshot
      if (!answer) throw new Error('No answer came.')
      messages.splice(last?.role === 'assistant' ? -1 : messages.length, 1, answer)
    }
    await post()
    expect(effects).toEqual([])
    expect(lastAssistantMessageIsCompleteWithApprovalResponses({ messages })).toBe(false)
    for (const part of messages.at(-1)?.parts.filter(isToolUIPart) ?? []) {
      if (part.state !== 'approval-requested') continue
      const { approval } = part
      Object.assign(part, {
        state: 'approval-responded',
        approval: { ...approval, approved: true },
      })
    }
    expect(lastAssistantMessageIsCompleteWithApprovalResponses({ messages })).toBe(true)
    await post()
    expect(effects).toEqual(['look a', 'send b', 'look c'])
    expect(messages.at(-1)?.parts.at(-1)).toMatchObject({ type: 'text', text: 'All done.' })
  })
})
