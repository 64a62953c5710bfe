import type { UIMessage, UIMessageChunk } from 'ai'
import { expect, test } from 'vitest'
import { answer } from './chunks.ts'
import { scriptedTransport } from './scripted-transport.ts'
import type { ScriptedTransport } from './scripted-transport.ts'

const question: UIMessage = { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }

function send(
  transport: ScriptedTransport,
  options: Partial<Parameters<ScriptedTransport['sendMessages']>[0]> = {},
): Promise<ReadableStream<UIMessageChunk>> {
  return transport.sendMessages({
    trigger: 'submit-message',
    chatId: 'chat',
    messageId: undefined,
    messages: [question],
    abortSignal: undefined,
    ...options,
  })
}

async function readAll(stream: ReadableStream<UIMessageChunk>): Promise<UIMessageChunk[]> {
  const chunks: UIMessageChunk[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return chunks
}

test('answers in order: lists, async iterables, functions of the request, errors', async () => {
  async function* later(): AsyncGenerator<UIMessageChunk> {
    yield* answer('two')
  }
  const transport = scriptedTransport([
    answer('one'),
    later(),
    async ({ body }) => answer(String(body['echo'])),
    new Error('down'),
  ])
  expect(await readAll(await send(transport))).toEqual(answer('one'))
  expect(await readAll(await send(transport))).toEqual(answer('two'))
  expect(await readAll(await send(transport, { body: { echo: 'three' } }))).toEqual(answer('three'))
  await expect(send(transport)).rejects.toThrow('down')
  await expect(send(transport)).rejects.toThrow('No answer is scripted for request 5')
  transport.add(answer('never'), answer('six'))
  expect(transport.requests).toHaveLength(5)
  expect(await readAll(await send(transport))).toEqual(answer('six'))
})

test('records each request as it was when it was made', async () => {
  const transport = scriptedTransport([answer('one')])
  const made = transport.requested(1)
  const message = structuredClone(question)
  const body = { tools: [{ name: 'a' }] }
  await send(transport, {
    messages: [message],
    body,
    headers: { 'X-Trace': '1' },
    metadata: { by: 'me' },
  })
  message.parts.push({ type: 'text', text: 'changed' })
  body.tools[0]!.name = 'changed'
  const request = await made
  expect(request).toBe(transport.requests[0])
  expect(request).toMatchObject({
    trigger: 'submit-message',
    chatId: 'chat',
    messages: [question],
    headers: { 'x-trace': '1' },
    body: { tools: [{ name: 'a' }] },
    metadata: { by: 'me' },
  })
  expect(() => request.messages[0]!.parts.push({ type: 'step-start' })).toThrow(TypeError)
})

test('a held stream delivers chunk by chunk, also what is pushed before the request', async () => {
  const transport = scriptedTransport()
  const step = transport.hold()
  const [start, ...rest] = answer('one')
  const taken = step.push(start!)
  const reader = (await send(transport)).getReader()
  expect(await reader.read()).toEqual({ done: false, value: start })
  await taken
  const next = reader.read()
  await step.push(rest[0]!)
  expect(await next).toEqual({ done: false, value: rest[0] })
  step.end()
  expect(await reader.read()).toEqual({ done: true, value: undefined })
  await expect(step.push(rest[1]!)).rejects.toThrow('has ended')
})

test('a held stream that fails delivers first what was pushed', async () => {
  const transport = scriptedTransport()
  const step = transport.hold()
  void step.push({ type: 'start' })
  step.fail(new Error('cut'))
  const reader = (await send(transport)).getReader()
  expect(await reader.read()).toMatchObject({ value: { type: 'start' } })
  await expect(reader.read()).rejects.toThrow('cut')
})

test('an unanswered hold leaves the request open until it responds or fails', async () => {
  const transport = scriptedTransport()
  const first = transport.hold({ unanswered: true })
  const second = transport.hold({ unanswered: true })
  let answered = false
  const stream = send(transport).then((value) => {
    answered = true
    return value
  })
  await transport.requested(1)
  expect(answered).toBe(false)
  first.respond()
  first.end()
  expect(await readAll(await stream)).toEqual([])
  const failing = send(transport)
  second.fail(new Error('refused'))
  await expect(failing).rejects.toThrow('refused')
})

test('an abort rejects an unanswered request and fails an open stream', async () => {
  const transport = scriptedTransport()
  const waiting = transport.hold({ unanswered: true })
  const open = transport.hold()
  const first = new AbortController()
  const request = send(transport, { abortSignal: first.signal })
  first.abort()
  await expect(request).rejects.toMatchObject({ name: 'AbortError' })
  await waiting.cancelled
  const second = new AbortController()
  const reader = (await send(transport, { abortSignal: second.signal })).getReader()
  const read = reader.read()
  second.abort()
  await expect(read).rejects.toMatchObject({ name: 'AbortError' })
  await open.cancelled
  await open.push({ type: 'start' })
})

test('with ignoreAbort the stream goes on after an abort, until it is cancelled', async () => {
  const transport = scriptedTransport([], { ignoreAbort: true })
  const step = transport.hold()
  const controller = new AbortController()
  const reader = (await send(transport, { abortSignal: controller.signal })).getReader()
  controller.abort()
  const late = step.push({ type: 'start' })
  expect(await reader.read()).toMatchObject({ value: { type: 'start' } })
  await late
  await reader.cancel()
  await step.cancelled
})

test('reconnects answer as scripted, else with no stream', async () => {
  const transport = scriptedTransport([], { reconnects: [answer('again'), null] })
  const options = { chatId: 'chat', headers: { a: '1' } }
  expect(await readAll((await transport.reconnectToStream(options))!)).toEqual(answer('again'))
  expect(await transport.reconnectToStream(options)).toBeNull()
  expect(await transport.reconnectToStream(options)).toBeNull()
  expect(transport.reconnects).toHaveLength(3)
  expect(transport.reconnects[0]).toMatchObject({ chatId: 'chat', headers: { a: '1' } })
})
