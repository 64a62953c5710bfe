import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { openDatabase } from '@assent/node'
import { simulateReadableStream } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { expect, it } from 'vitest'
import { streamOf } from '../../node/test/kills/model-answer.ts'
import { createWorker } from './create-worker.ts'
import { modelEngine } from './model-engine.ts'
import { sqliteStores } from './sqlite-stores.ts'

const WORDS = Array.from({ length: 20 }, (_, at) => `word${at} `)

it('how an answer grows is told a few times, and what an observer throws changes nothing', async () => {
  const database = openDatabase(':memory:')
  const stores = sqliteStores(database)
  const said: string[] = []
  const errors: unknown[] = []
  const answered = Promise.withResolvers<string>()
  const chunks = streamOf('stop', [
    { type: 'text-start', id: 't' },
    ...WORDS.map((delta) => ({ type: 'text-delta' as const, id: 't', delta })),
    { type: 'text-end', id: 't' },
  ])
  const worker = createWorker({
    ...stores,
    createEngine: modelEngine({
      model: new MockLanguageModelV4({
        doStream: async () => ({
          stream: simulateReadableStream<LanguageModelV4StreamPart>({
            chunks,
            chunkDelayInMs: 30,
          }),
        }),
      }),
    }),
    onText({ task, text }) {
      said.push(`${task.id}: ${text}`)
      throw new Error('Nobody listens.')
    },
    onReply: ({ text }) => answered.resolve(text),
    onError: (error) => errors.push(error),
  })
  worker.start()
  await stores.inbox.add({ id: 'one', conversationId: 'c', input: 'Tell me' })
  const reply = await answered.promise
  await worker.stop()
  database.close()
  const whole = `one: ${reply}`
  expect(said.length).toBeGreaterThan(0)
  expect(said.length).toBeLessThan(WORDS.length)
  for (const text of said) expect(whole.startsWith(text)).toBe(true)
  expect(new Set(said).size).toBe(said.length)
  expect(errors).toHaveLength(said.length)
})
