import { setImmediate } from 'node:timers/promises'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import { simulateReadableStream } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { afterEach, describe, expect, test } from 'vitest'
import { createBackups } from './backups.ts'
import { createChat } from './chat.ts'
import { createDemoModel } from './demo-model.ts'
import { createOutbox } from './outbox.ts'
import { createConversation } from './testing/conversation.ts'
import { type ServedChat, startChat } from './testing/start-chat.ts'

const close: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const stop of close.splice(0)) await stop()
})

async function start(model?: LanguageModelV4): Promise<ServedChat> {
  const served = await startChat(model)
  close.push(served.close)
  return served
}

describe('a model that fails', () => {
  test('in the middle of its answer leaves what it said and a readable error', async () => {
    const { url, failures } = await start()
    const chat = createConversation(url)
    await chat.say('Break off in the middle of your answer')
    expect(chat.errors).toEqual(['The demo model broke off its answer, as it was asked to.'])
    expect(chat.answer()).toContain('This answer begins well')
    expect(failures).toHaveLength(1)
    await chat.say('What time is it on the server?')
    expect(chat.errors).toHaveLength(1)
    expect(chat.answer()).toContain('The server’s clock')
  })

  test('before its first word is a readable error too', async () => {
    const model = new MockLanguageModelV4({
      doStream: async () => {
        throw new Error('The model is on strike.')
      },
    })
    const chat = createConversation((await start(model)).url)
    await chat.say('Hello')
    expect(chat.errors).toEqual(['The model is on strike.'])
  })

  test('whose stream throws ends the answer with a readable error', async () => {
    const model = new MockLanguageModelV4({
      doStream: async () => ({
        stream: simulateReadableStream({
          chunks: [
            { type: 'stream-start' as const, warnings: [] },
            { type: 'text-start' as const, id: 't' },
            { type: 'text-delta' as const, id: 't', delta: 'So far' },
          ],
          initialDelayInMs: null,
          chunkDelayInMs: null,
        }).pipeThrough(
          new TransformStream({
            flush() {
              throw new TypeError('terminated', { cause: new Error('other side closed') })
            },
          }),
        ),
      }),
    })
    const { url, errors } = await start(model)
    const chat = createConversation(url)
    await chat.say('Hello')
    expect(chat.answer()).toBe('So far')
    expect(chat.errors).toEqual([
      'The connection to the model was cut in the middle of its answer. Try again.',
    ])
    expect(errors).toEqual([])
  })
})

test('a client that stops the answer stops the model', async () => {
  const stopped = Promise.withResolvers<unknown>()
  const spoke = Promise.withResolvers<void>()
  const demo = createDemoModel({ speed: 1 })
  const { url, failures } = await start({
    ...demo,
    doStream: async (options) => {
      options.abortSignal?.addEventListener('abort', () =>
        stopped.resolve(options.abortSignal?.reason),
      )
      const { stream } = await demo.doStream(options)
      const watched = stream.pipeThrough(
        new TransformStream({
          transform(part, controller) {
            if (part.type === 'text-delta') spoke.resolve()
            controller.enqueue(part)
          },
        }),
      )
      return { stream: watched }
    },
  })
  const chat = createConversation(url)
  const answered = chat.say('Write a long answer')
  await spoke.promise
  await chat.stop()
  await answered
  expect(chat.answer()).not.toContain('end of the prepared answer')
  expect(await stopped.promise).toMatchObject({ name: 'AbortError' })
  expect(failures).toEqual([])
})

test('an answer that nobody reads on is no failure', async () => {
  const failures: unknown[] = []
  const handle = createChat({
    model: createDemoModel({ speed: 1 }),
    world: { outbox: createOutbox(), backups: createBackups(), now: () => new Date() },
    onError: (error) => void failures.push(error),
  })
  const parts = [{ type: 'text', text: 'Write a long answer' }]
  const response = await handle(
    new Request('http://127.0.0.1/api/chat', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ messages: [{ id: 'u', role: 'user', parts }] }),
    }),
  )
  const reader = response.body!.getReader()
  await reader.read()
  await reader.cancel()
  await setImmediate()
  expect(failures).toEqual([])
})
