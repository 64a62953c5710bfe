import {
  answer,
  approvalRequestChunks,
  callTools,
  responseChunks,
  scriptedTransport,
  stepChunks,
  toolCallChunks,
} from '@assent/engine/testing'
import { lastAssistantMessageIsCompleteWithToolCalls, type UIMessage } from 'ai'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { effectScope, ref, watch, type EffectScope } from 'vue'
import { Chat, useChat, type ChatInit, type UseChatReturn } from './index.ts'

const scopes: EffectScope[] = []
afterEach(() => {
  for (const scope of scopes.splice(0)) scope.stop()
})

function open(init: Parameters<typeof useChat<UIMessage>>[0]): UseChatReturn {
  const scope = effectScope()
  scopes.push(scope)
  const chat = scope.run(() => useChat<UIMessage>(init))
  if (!chat) throw new Error('The scope is not active.')
  return chat
}

function statuses(chat: UseChatReturn): string[] {
  const seen: string[] = [chat.status.value]
  watch(chat.status, (status) => seen.push(status), { flush: 'sync' })
  return seen
}

const user = (id: string, text: string): UIMessage => ({
  id,
  role: 'user',
  parts: [{ type: 'text', text }],
})
const weather = (toolCallId = 'w') =>
  callTools({ toolCallId, toolName: 'weather', input: { city: 'Lisbon' } })
const lastPart = (chat: UseChatReturn) => chat.messages.value.at(-1)?.parts.at(-1)
const texts = (messages: readonly UIMessage[]) =>
  messages.map(({ role, parts }) => [
    role,
    ...parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])),
  ])

describe('a message', () => {
  test('streams an answer: submitted, streaming, ready', async () => {
    const onFinish = vi.fn<NonNullable<ChatInit['onFinish']>>()
    const transport = scriptedTransport()
    const held = transport.hold({ unanswered: true })
    const chat = open({ transport, onFinish })
    const seen = statuses(chat)
    const sent = chat.sendMessage({ text: 'Hi' })
    const chunks = answer('Hello')
    await held.push(...chunks)
    chat.chat.engine.value.flush()
    held.end()
    await sent
    expect(seen).toEqual(['ready', 'submitted', 'streaming', 'ready'])
    expect(texts(chat.messages.value)).toEqual([
      ['user', 'Hi'],
      ['assistant', 'Hello'],
    ])
    expect(onFinish).toHaveBeenCalledExactlyOnceWith({
      message: chat.messages.value[1],
      messages: chat.messages.value,
      isAbort: false,
      isDisconnect: false,
      isError: false,
      finishReason: 'stop',
    })
  })

  test('carries headers, body and metadata of its own, once', async () => {
    const transport = scriptedTransport([answer('One'), answer('Two'), answer('Three')])
    const chat = open({ transport, id: 'c' })
    const options = { headers: new Headers({ 'x-a': '1' }), body: { model: 'm' }, metadata: 7 }
    await chat.sendMessage({ text: 'Hi' }, options)
    await chat.sendMessage({ text: 'Again' })
    await chat.sendMessage(undefined, options)
    const carried = { chatId: 'c', headers: { 'x-a': '1' }, body: { model: 'm' }, metadata: 7 }
    expect(transport.requests).toMatchObject([carried, { headers: {} }, carried])
    expect(transport.requests[1]?.body['model']).toBeUndefined()
  })

  test('may have files, also without a text, parts of its own, and metadata', async () => {
    const transport = scriptedTransport([answer('1'), answer('2'), answer('3')])
    const chat = open({ transport })
    const file = { type: 'file' as const, mediaType: 'text/plain', url: 'https://a.example/b.txt' }
    await chat.sendMessage({ text: 'Look', files: [file], metadata: { at: 1 } })
    await chat.sendMessage({ text: '', files: [file] })
    await chat.sendMessage({ parts: [{ type: 'text', text: 'Mine' }] })
    expect(chat.messages.value.filter(({ role }) => role === 'user')).toMatchObject([
      { parts: [file, { type: 'text', text: 'Look' }], metadata: { at: 1 } },
      { parts: [file] },
      { parts: [{ type: 'text', text: 'Mine' }] },
    ])
  })

  test('sends the files of a file field as data URLs', async () => {
    const chat = open({ transport: scriptedTransport([answer('1')]) })
    const list = [new File(['hello'], 'a.txt', { type: 'text/plain' })]
    const files = Object.assign(Object.create(FileList.prototype), {
      [Symbol.iterator]: () => list.values(),
    }) as FileList
    await chat.sendMessage({ text: 'Look', files })
    expect(chat.messages.value[0]?.parts[0]).toEqual({
      type: 'file',
      mediaType: 'text/plain',
      filename: 'a.txt',
      url: 'data:text/plain;base64,aGVsbG8=',
    })
  })

  test('with messageId takes the place of one that was sent, and of what follows', async () => {
    const transport = scriptedTransport([answer('One'), answer('Two')])
    const chat = open({ transport, messages: [user('a', 'Hi')] })
    await chat.sendMessage({ text: 'First' })
    await chat.sendMessage({ text: 'Better', messageId: 'a' })
    expect(texts(chat.messages.value)).toEqual([
      ['user', 'Better'],
      ['assistant', 'Two'],
    ])
    await expect(chat.sendMessage({ text: 'x', messageId: 'nobody' })).rejects.toThrow('nobody')
  })

  test('that fails is in error and onError, until clearError or the next message', async () => {
    const onError = vi.fn<(error: Error) => void>()
    const onFinish = vi.fn<NonNullable<ChatInit['onFinish']>>()
    const failure = new Error('No luck')
    const transport = scriptedTransport([failure, answer('Hello')])
    const chat = open({ transport, onError, onFinish })
    await chat.sendMessage({ text: 'Hi' })
    expect(chat.status.value).toBe('error')
    expect(chat.error.value).toMatchObject({ cause: failure })
    expect(onError).toHaveBeenCalledExactlyOnceWith(chat.error.value)
    expect(onFinish).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ isError: true }))
    chat.clearError()
    expect(chat.status.value).toBe('ready')
    expect(chat.error.value).toBeUndefined()
    await chat.sendMessage()
    expect(texts(chat.messages.value)).toEqual([
      ['user', 'Hi'],
      ['assistant', 'Hello'],
    ])
  })

  test('that is stopped leaves what there is, and no error', async () => {
    const onFinish = vi.fn<NonNullable<ChatInit['onFinish']>>()
    const transport = scriptedTransport()
    const held = transport.hold()
    const chat = open({ transport, onFinish })
    const sent = chat.sendMessage({ text: 'Hi' })
    await held.push({ type: 'start' }, { type: 'text-start', id: 't' })
    await held.push({ type: 'text-delta', id: 't', delta: 'Hel' })
    await chat.stop()
    await sent
    expect(chat.status.value).toBe('ready')
    expect(lastPart(chat)).toMatchObject({ text: 'Hel' })
    expect(onFinish).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ isAbort: true }))
  })

  test('that is none is refused while an answer is on its way, with all that it carried', async () => {
    const transport = scriptedTransport()
    const held = transport.hold()
    const chat = open({ transport })
    const sent = chat.sendMessage({ text: 'Hi' })
    await held.push({ type: 'start' })
    const options = { headers: { authorization: 'x' } }
    await expect(chat.sendMessage(undefined, options)).rejects.toMatchObject({ code: 'busy' })
    await held.push({ type: 'finish' })
    held.end()
    await sent
    const next = transport.hold()
    const later = chat.sendMessage({ text: 'Again' })
    await next.push({ type: 'start' }, { type: 'finish' })
    next.end()
    await later
    expect(transport.requests[1]?.headers).toEqual({})
  })

  test('sent while an answer is on its way waits for its turn', async () => {
    const transport = scriptedTransport([answer('One'), answer('Two')])
    const chat = open({ transport })
    await Promise.all([chat.sendMessage({ text: 'A' }), chat.sendMessage({ text: 'B' })])
    expect(texts(chat.messages.value).map(([, text]) => text)).toEqual(['A', 'One', 'B', 'Two'])
  })
})

describe('the list', () => {
  test('begins with the messages of init, and may be set', async () => {
    const transport = scriptedTransport([answer('Hello')])
    const chat = open({ transport, messages: [user('a', 'Hi')] })
    await chat.sendMessage({ text: 'There' })
    expect(chat.messages.value).toHaveLength(3)
    chat.messages.value = []
    expect(chat.messages.value).toEqual([])
    expect(() => chat.messages.value.push(user('b', 'No'))).toThrow(TypeError)
  })

  test('is cut where an answer is asked for anew', async () => {
    const transport = scriptedTransport([answer('One'), answer('Two')])
    const chat = open({ transport })
    await chat.sendMessage({ text: 'Hi' })
    await chat.regenerate()
    expect(texts(chat.messages.value).at(-1)).toEqual(['assistant', 'Two'])
    expect(transport.requests[1]).toMatchObject({ trigger: 'regenerate-message' })
  })

  test('is that of another conversation when init changes; the answer of the former one is stopped', async () => {
    const id = ref('one')
    const transport = scriptedTransport()
    const held = transport.hold()
    const chat = open(() => ({ id: id.value, transport, messages: [user(id.value, id.value)] }))
    void chat.sendMessage({ text: 'Hi' })
    await held.push({ type: 'start' })
    id.value = 'two'
    await held.cancelled
    expect(chat.id.value).toBe('two')
    expect(chat.status.value).toBe('ready')
    expect(chat.messages.value.map((message) => message.id)).toEqual(['two'])
  })
})

describe('a call', () => {
  test('is told to onToolCall, answered by addToolOutput, and the turn goes on', async () => {
    const calls: unknown[] = []
    const transport = scriptedTransport([weather(), answer('It rains')])
    const chat: UseChatReturn = open({
      transport,
      onToolCall({ toolCall }) {
        calls.push(toolCall)
        void chat.addToolOutput({
          tool: 'weather',
          toolCallId: toolCall.toolCallId,
          output: 'rain',
        })
      },
    })
    await chat.sendMessage({ text: 'Weather?' })
    await chat.chat.settled()
    expect(calls).toEqual([{ toolCallId: 'w', toolName: 'weather', input: { city: 'Lisbon' } }])
    expect(lastPart(chat)).toMatchObject({ text: 'It rains' })
    expect(transport.requests[1]?.messages.at(-1)?.parts.at(-1)).toMatchObject({
      state: 'output-available',
      output: 'rain',
    })
  })

  test('may be answered later, by a person: the status is ready until then', async () => {
    const transport = scriptedTransport([weather(), answer('It rains')])
    const chat = open({ transport })
    await chat.sendMessage({ text: 'Weather?' })
    expect(chat.status.value).toBe('ready')
    await chat.addToolOutput({ tool: 'weather', toolCallId: 'w', output: 'rain' })
    await chat.addToolOutput({ tool: 'weather', toolCallId: 'w', output: 'sun' })
    await chat.addToolOutput({ tool: 'weather', toolCallId: 'nobody', output: 'sun' })
    await chat.chat.settled()
    expect(transport.requests).toHaveLength(2)
    expect(JSON.stringify(transport.requests[1]?.messages)).toContain('rain')
  })

  test('that is answered already takes no options of its answer to a later request', async () => {
    const transport = scriptedTransport([weather(), answer('It rains'), answer('Hello')])
    const chat = open({ transport })
    await chat.sendMessage({ text: 'Weather?' })
    const output = { tool: 'weather', toolCallId: 'w', output: 'rain' }
    await chat.addToolOutput(output)
    await chat.chat.settled()
    await chat.addToolOutput({ ...output, options: { headers: { authorization: 'x' } } })
    await chat.sendMessage({ text: 'Thanks' })
    expect(transport.requests[2]?.headers).toEqual({})
  })

  test('may fail', async () => {
    const transport = scriptedTransport([weather(), answer('Sorry')])
    const chat = open({ transport })
    await chat.sendMessage({ text: 'Weather?' })
    await chat.addToolOutput({
      tool: 'weather',
      toolCallId: 'w',
      state: 'output-error',
      errorText: 'No signal',
    })
    await chat.chat.settled()
    expect(transport.requests[1]?.messages.at(-1)?.parts.at(-1)).toMatchObject({
      state: 'output-error',
      errorText: 'No signal',
    })
  })

  test('goes on once, with a ready-made sendAutomaticallyWhen', async () => {
    const transport = scriptedTransport([weather(), answer('It rains')])
    const chat = open({
      transport,
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
    })
    await chat.sendMessage({ text: 'Weather?' })
    await chat.addToolOutput({ tool: 'weather', toolCallId: 'w', output: 'rain' })
    await chat.chat.settled()
    expect(transport.requests).toHaveLength(2)
  })

  test('is not sent by itself where sendAutomaticallyWhen says no, but with the next message', async () => {
    const transport = scriptedTransport([weather(), answer('It rains')])
    const chat = open({ transport, sendAutomaticallyWhen: () => false })
    await chat.sendMessage({ text: 'Weather?' })
    await chat.addToolOutput({ tool: 'weather', toolCallId: 'w', output: 'rain' })
    await chat.chat.settled()
    expect(chat.status.value).toBe('ready')
    expect(transport.requests).toHaveLength(1)
    await chat.sendMessage({ text: 'And?' })
    expect(transport.requests[1]?.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
    ])
    expect(JSON.stringify(transport.requests[1]?.messages)).toContain('"output":"rain"')
  })

  test('that the server asks about is decided by the id of its approval, and carries request options', async () => {
    const asks = responseChunks(
      {},
      stepChunks(
        toolCallChunks({ toolCallId: 'w', toolName: 'weather', input: {} }),
        approvalRequestChunks({ toolCallId: 'w', approvalId: 'approval-1' }),
      ),
    )
    const transport = scriptedTransport([asks, answer('Done')])
    const chat = open({ transport })
    await chat.sendMessage({ text: 'Weather?' })
    expect(chat.status.value).toBe('ready')
    await chat.addToolApprovalResponse({ id: 'nobody', approved: true })
    expect(transport.requests).toHaveLength(1)
    await chat.addToolApprovalResponse({
      id: 'approval-1',
      approved: false,
      reason: 'Not now',
      options: { body: { model: 'm' } },
    })
    await chat.chat.settled()
    expect(transport.requests[1]).toMatchObject({ body: { model: 'm' } })
    expect(JSON.stringify(transport.requests[1]?.messages)).toContain('Not now')
  })
})

describe('resumeStream', () => {
  test('takes up what the server still sends; nothing to take up is ready', async () => {
    const transport = scriptedTransport([], { reconnects: [null, answer('Back')] })
    const chat = open({ transport, messages: [user('a', 'Hi')] })
    await chat.resumeStream()
    expect(chat.status.value).toBe('ready')
    await chat.resumeStream()
    expect(texts(chat.messages.value).at(-1)).toEqual(['assistant', 'Back'])
  })
})

describe('Chat', () => {
  test('has the same as plain properties, and ends when it is disposed', async () => {
    const transport = scriptedTransport([answer('Hello')])
    const chat = new Chat({ transport, messages: [user('a', 'Hi')] })
    await chat.sendMessage({ text: 'There' })
    expect(texts(chat.messages)).toEqual([
      ['user', 'Hi'],
      ['user', 'There'],
      ['assistant', 'Hello'],
    ])
    expect(chat.lastMessage).toBe(chat.messages[2])
    expect(ref(chat).value.status).toBe('ready')
    expect(chat.status).toBe('ready')
    expect(chat.error).toBeUndefined()
    chat.messages = []
    expect(chat.messages).toEqual([])
    chat.dispose()
    await expect(chat.sendMessage({ text: 'Late' })).rejects.toMatchObject({ code: 'disposed' })
  })
})
