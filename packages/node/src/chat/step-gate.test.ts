import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { isWaiting } from '@assent/engine'
import {
  DefaultChatTransport,
  isToolUIPart,
  jsonSchema,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  readUIMessageStream,
  tool,
  type ToolSet,
  type UIMessage,
} from 'ai'
import { describe, expect, test } from 'vitest'
import { connectEngine } from '../../test/chat-client.ts'
import { scriptedModel, type ModelStep } from '../../test/scripted-model.ts'
import { serveChat } from '../../test/serve-chat.ts'
import type { ChatHandlerOptions } from './chat-options.ts'

const inputSchema = jsonSchema<{ to: string }>({ type: 'object' })

/** A server with a free tool, two that ask, and what they did. */
async function start(steps: readonly ModelStep[], more: Partial<ChatHandlerOptions> = {}) {
  const effects: string[] = []
  const act = (verb: string) =>
    tool({
      inputSchema,
      execute: ({ to }) => {
        effects.push(`${verb} ${to}`)
        return `${verb} ${to}: done`
      },
    })
  const tools: ToolSet = { look: act('look'), send: act('send'), drop: act('drop') }
  const model = scriptedModel(steps)
  const served = await serveChat({
    model,
    tools,
    toolApproval: { send: 'user-approval', drop: 'user-approval' },
    ...more,
  })
  return { ...served, effects, model }
}

/** The calls that a prompt asks for, and the results that it has for them, in their order. */
function callsAndResults(prompt: LanguageModelV4Prompt | undefined) {
  const calls: string[] = []
  const results: string[] = []
  for (const { role, content } of prompt ?? []) {
    if (role !== 'assistant' && role !== 'tool') continue
    for (const part of content) {
      if (part.type === 'tool-call') calls.push(part.toolCallId)
      if (part.type === 'tool-result') results.push(part.toolCallId)
    }
  }
  return { calls, results }
}

const mixed: ModelStep = [
  ['1', 'look', { to: 'a' }],
  ['2', 'send', { to: 'b' }],
  ['3', 'look', { to: 'c' }],
]

describe('a step with a call that asks', () => {
  test('runs none of its calls before the answer, and all of them after it', async () => {
    const { api, effects, model, errors } = await start([mixed, 'All done.'])
    const chat = connectEngine(api)
    expect(await chat.engine.sendMessage('go')).toMatchObject({ requestState: 'paused' })
    expect(effects).toEqual([])
    expect(chat.calls()).toMatchObject([
      { state: 'approval-responded', approval: { isAutomatic: true, approved: true } },
      { state: 'approval-requested', approval: { signature: expect.any(String) } },
      { state: 'approval-responded', approval: { isAutomatic: true, approved: true } },
    ])
    expect(chat.calls().filter(isWaiting)).toHaveLength(1)

    await chat.resume({ toolCallId: '2' })
    await chat.completed()
    expect(effects).toEqual(['look a', 'send b', 'look c'])
    expect(chat.calls()).toMatchObject([
      { state: 'output-available', output: 'look a: done' },
      { state: 'output-available', output: 'send b: done' },
      { state: 'output-available', output: 'look c: done' },
    ])
    expect(callsAndResults(model.doStreamCalls[1]?.prompt)).toEqual({
      calls: ['1', '2', '3'],
      results: ['1', '2', '3'],
    })
    expect(chat.text()).toBe('All done.')
    expect(chat.engine.getState().messages).toHaveLength(2)
    expect(errors).toEqual([])
  })

  test('runs the others also after a denial', async () => {
    const { api, effects, model } = await start([mixed, 'Without it, then.'])
    const chat = connectEngine(api)
    await chat.engine.sendMessage('go')
    await chat.resume({ toolCallId: '2', outcome: 'no', reason: 'not him' })
    await chat.completed()
    expect(effects).toEqual(['look a', 'look c'])
    expect(chat.calls().map(({ state }) => state)).toEqual([
      'output-available',
      'output-denied',
      'output-available',
    ])
    const { prompt } = model.doStreamCalls[1] ?? {}
    expect(callsAndResults(prompt).results).toEqual(['1', '2', '3'])
    expect(JSON.stringify(prompt)).toContain('The person denied this call; it did not run.')
  })

  test('waits for the last of several decisions', async () => {
    const { api, effects, model } = await start([
      [...mixed, ['4', 'drop', { to: 'd' }]],
      'All done.',
    ])
    const chat = connectEngine(api)
    await chat.engine.sendMessage('go')
    await chat.resume({ toolCallId: '4' })
    expect(chat.engine.getState().requestState).toBe('paused')
    expect(effects).toEqual([])
    await chat.resume({ toolCallId: '2' })
    await chat.completed()
    expect(effects).toEqual(['look a', 'send b', 'look c', 'drop d'])
    expect(model.doStreamCalls).toHaveLength(2)
  })

  test('gives the results in the order of the calls, whichever ends first', async () => {
    const slow = Promise.withResolvers<string>()
    const { api, model } = await start(
      [
        [
          ['1', 'slow', { to: 'a' }],
          ['2', 'send', { to: 'b' }],
        ],
        'Done.',
      ],
      {
        tools: {
          slow: tool({ inputSchema, execute: () => slow.promise }),
          send: tool({
            inputSchema,
            execute: () => {
              setImmediate(() => slow.resolve('slow'))
              return 'sent'
            },
          }),
        },
      },
    )
    const chat = connectEngine(api)
    await chat.engine.sendMessage('go')
    await chat.resume({ toolCallId: '2' })
    await chat.completed()
    expect(callsAndResults(model.doStreamCalls[1]?.prompt).results).toEqual(['1', '2'])
  })

  test('does not hold the calls of the next step, which asks nobody', async () => {
    const { api, effects } = await start([mixed, [['1', 'look', { to: 'e' }]], 'Done.'])
    const chat = connectEngine(api)
    await chat.engine.sendMessage('go')
    await chat.resume({ toolCallId: '2' })
    await chat.completed()
    expect(effects).toEqual(['look a', 'send b', 'look c', 'look e'])
    expect(chat.text()).toBe('Done.')
  })

  test('leaves a valid history when it is left for another message', async () => {
    const { api, effects, model } = await start([mixed, 'Something else, then.'])
    const chat = connectEngine(api, {}, { whenBusy: 'queue' })
    await chat.engine.sendMessage('go')
    await chat.engine.abort()
    await chat.engine.sendMessage('something else')
    expect(effects).toEqual([])
    expect(chat.text()).toBe('Something else, then.')
    const { calls, results } = callsAndResults(model.doStreamCalls[1]?.prompt)
    expect(results).toEqual(calls)
  })

  test('asks a person about what the rules ask about by the time of the answer', async () => {
    let isLookFree = true
    const { api, effects } = await start([mixed, 'Looking needs a yes by now.'], {
      toolApproval: ({ toolCall }) =>
        toolCall.toolName === 'look' && isLookFree ? 'not-applicable' : 'user-approval',
    })
    const chat = connectEngine(api)
    await chat.engine.sendMessage('go')
    isLookFree = false
    await chat.resume({ toolCallId: '2' })
    await chat.completed()
    expect(effects).toEqual(['send b'])
    expect(chat.calls()).toMatchObject([
      { state: 'output-error', errorText: expect.stringContaining('Call it again') },
      { state: 'output-available' },
      { state: 'output-error' },
    ])
  })

  test('asks about a call whose rule fails', async () => {
    const { api, effects, errors } = await start([[['1', 'look', { to: 'a' }]], 'Done.'], {
      toolApproval: () => {
        throw new Error('no rules today')
      },
    })
    const chat = connectEngine(api)
    expect(await chat.engine.sendMessage('go')).toMatchObject({ requestState: 'paused' })
    expect(effects).toEqual([])
    expect(chat.calls()[0]?.approval?.requestReason).toBe('The check of this call failed.')
    expect(errors).toMatchObject([{ message: 'no rules today' }])
  })
})

describe('a step without one', () => {
  test('runs at once', async () => {
    const { api, effects, model } = await start([[['1', 'look', { to: 'a' }]], 'Done.'])
    const chat = connectEngine(api)
    expect(await chat.engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
    expect(effects).toEqual(['look a'])
    expect(model.doStreamCalls).toHaveLength(2)
  })

  test('runs at once when its rule says yes, and nobody could run it again', async () => {
    const { api, effects } = await start([[['1', 'look', { to: 'a' }]], 'Done.'], {
      toolApproval: { look: { type: 'approved', reason: 'always' } },
    })
    const chat = connectEngine(api)
    await chat.engine.sendMessage('go')
    expect(effects).toEqual(['look a'])
    expect(chat.calls()).toMatchObject([
      { state: 'output-available', approval: { isAutomatic: true, approved: true } },
    ])
    expect(chat.calls()[0]?.approval?.signature).toBeUndefined()
  })
})

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
    const { api, effects, model, errors } = await start([shared, 'Done.'])
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
    const { api, effects } = await start([shared, 'Done.'])
    const ran: string[] = []
    const chat = connectEngine(api, { tools: tools(ran) })
    expect(await chat.engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
    expect([...ran, ...effects]).toEqual(['b', 'look a'])
    expect(chat.calls().map(({ state }) => state)).toEqual(['output-available', 'output-available'])
  })

  test('can be denied by the rules of the server', async () => {
    const { api, model } = await start([[['1', 'note', { to: 'b' }]], 'Not that.'], {
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

describe('with the gate of each call', () => {
  test('what is free runs at once, as the AI SDK does by itself', async () => {
    const { api, effects } = await start([mixed, 'Done.'], { gate: 'call' })
    const chat = connectEngine(api)
    await chat.engine.sendMessage('go')
    expect(effects).toEqual(['look a', 'look c'])
    await chat.resume({ toolCallId: '2' })
    await chat.completed()
    expect(effects).toEqual(['look a', 'look c', 'send b'])
  })
})

describe("with the AI SDK's own transport", () => {
  test('a held step goes on as soon as its own rule for sending says so', async () => {
    const { api, effects } = await start([mixed, 'All done.'])
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
