import { type AssentDatabase, openDatabase } from '@assent/node'
import { jsonSchema, tool } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { scriptedModel } from '../../node/test/scripted-model.ts'
import { createWorker, type Worker, type WorkerOptions } from './create-worker.ts'
import type { Inbox, Task, TaskState } from './inbox.ts'
import { modelEngine, type ModelEngineOptions } from './model-engine.ts'
import { sqliteInbox } from './sqlite-inbox.ts'
import { sqliteStores } from './sqlite-stores.ts'

let database: AssentDatabase
let inbox: Inbox
let worker: Worker
const replies: string[] = []

beforeEach(() => {
  database = openDatabase(':memory:')
  inbox = sqliteInbox(database)
  replies.length = 0
})

afterEach(async () => {
  await worker.stop({ graceMs: 0 })
  database.close()
})

function work(options: ModelEngineOptions, more: Partial<WorkerOptions> = {}): void {
  worker = createWorker({
    ...sqliteStores(database),
    inbox,
    createEngine: modelEngine({ defaultApproval: 'approved', ...options }),
    onReply: ({ text, notice }) => void replies.push(notice ?? text),
    onError: () => undefined,
    ...more,
  })
  worker.start()
}

/** The task once it is in a state. */
function inState(id: string, state: TaskState): Promise<Task> {
  const found = Promise.withResolvers<Task>()
  const look = async () => {
    const task = await inbox.get(id)
    if (task?.state === state) found.resolve(task)
  }
  inbox.subscribe(() => void look().catch(found.reject))
  void look()
  return found.promise
}

const lookUp = tool({
  description: 'Looks a word up.',
  inputSchema: jsonSchema<{ word: string }>({ type: 'object' }),
  execute: ({ word }) => `${word} is a word`,
})

describe('modelEngine', () => {
  it('sums up what has to be left out, keeps that in the conversation, and says none of it', async () => {
    const summaries: string[] = []
    const answer = `Understood. ${'and so on '.repeat(60)}`
    const model = scriptedModel(Array.from({ length: 30 }, () => answer))
    work({
      model,
      context: {
        maxTokens: 1_000,
        summary: {
          write({ before }) {
            summaries.push(`Summary ${summaries.length + 1} after ${before ?? 'nothing'}`)
            return summaries.at(-1) ?? ''
          },
        },
      },
    })
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) {
      await inbox.add({ id, conversationId: 'c', input: `${id} ${'and so on '.repeat(60)}` })
      await inState(id, 'done')
    }
    expect(summaries.length).toBeGreaterThan(1)
    expect(summaries[1]).toBe('Summary 2 after Summary 1 after nothing')
    const last = JSON.stringify(model.doStreamCalls.at(-1)?.prompt)
    expect(last).toContain(`> ${summaries.at(-1)}`)
    expect(last).not.toContain('a and so on')
    expect(replies.join()).not.toContain('Summary')
    const { storage } = sqliteStores(database).conversations
    const stored = JSON.stringify([...(await storage.read('conversation/c'))])
    for (const summary of summaries) expect(stored).toContain(summary)
    // All that it stands for is there as well.
    expect(stored).toContain('a and so on')
  })

  it.each([
    [undefined, '[secret: '],
    [false, 'ghp_'],
  ] as const)('masks the secrets of outputs with redact %s', async (redact, told) => {
    const key = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`
    const read = tool({ inputSchema: jsonSchema<object>({ type: 'object' }), execute: () => key })
    const model = scriptedModel([[['c1', 'read', {}]], 'Read.'])
    work({ model, tools: { read }, ...(redact === false && { redact }) })
    await inbox.add({ id: 'one', conversationId: 'c', input: 'Read it.' })
    await inState('one', 'done')
    const prompt = JSON.stringify(model.doStreamCalls[1]?.prompt)
    expect(prompt).toContain(told)
    expect(prompt.includes(key)).toBe(redact === false)
  })

  it('asks a model in this process, and runs its calls', async () => {
    const model = scriptedModel([[['c1', 'lookUp', { word: 'fox' }]], 'It is a word.'])
    work({ model, instructions: 'Be short.', tools: { lookUp } })
    await inbox.add({ id: 'one', conversationId: 'c', input: 'What is a fox?' })
    await inState('one', 'done')
    expect(replies).toEqual(['It is a word.'])
    const [first, second] = model.doStreamCalls
    expect(first?.prompt[0]).toEqual({ role: 'system', content: 'Be short.' })
    expect(first?.tools?.map(({ name }) => name)).toEqual(['lookUp'])
    expect(JSON.stringify(second?.prompt)).toContain('fox is a word')
  })

  it('parks calls that ask, and goes on in the same turn', async () => {
    const model = scriptedModel([[['c1', 'lookUp', { word: 'fox' }]], 'Done.'])
    work({ model, tools: { lookUp }, toolApproval: { lookUp: 'user-approval' } })
    await inbox.add({ id: 'one', conversationId: 'c', input: 'Look it up' })
    await inState('one', 'parked')
    expect(replies).toEqual([])
    await inbox.answer('one', { decisions: [{ toolCallId: 'c1' }] })
    await inState('one', 'done')
    expect(replies).toEqual(['Done.'])
  })

  it('has a failure of its model tried again when that can succeed', async () => {
    let asked = 0
    const model = new MockLanguageModelV4({
      doStream: (options) => {
        if (++asked === 1) throw Object.assign(new Error('busy'), { isRetryable: true })
        return scriptedModel(['Better now.']).doStream(options)
      },
    })
    work({ model, settings: { maxRetries: 0 } }, { retryBaseMs: 1 })
    await inbox.add({ id: 'one', conversationId: 'c', input: 'Hello' })
    const task = await inState('one', 'done')
    expect([task.attempts, replies]).toEqual([2, ['Better now.']])
  })

  it('bounds the steps of a turn', async () => {
    const model = scriptedModel([
      [['c1', 'lookUp', { word: 'a' }]],
      [['c2', 'lookUp', { word: 'b' }]],
      'never said',
    ])
    work({ model, tools: { lookUp }, maxSteps: 2 })
    await inbox.add({ id: 'one', conversationId: 'c', input: 'Look' })
    await inState('one', 'done')
    expect([replies, model.doStreamCalls.length]).toEqual([['max-steps'], 2])
  })
})
