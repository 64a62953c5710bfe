import type { UIMessage } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { describe, expect, onTestFinished, test } from 'vitest'
import { answered, ask, callsOf, decided, question, startAsking } from '../../test/asking-server.ts'
import { callsAndResults } from '../../test/gated-server.ts'
import { readEvents, userMessage } from '../../test/raw-chat.ts'
import { scriptedModel, type ModelStep } from '../../test/scripted-model.ts'
import { openDatabase, type AssentDatabase } from '../sqlite/open-database.ts'
import type { ChatHandlerOptions } from './chat-options.ts'
import { sqliteLedger } from './sqlite-ledger.ts'

/** A database for the servers of a test, which are as many processes. */
function shared(): AssentDatabase {
  const database = openDatabase(':memory:')
  onTestFinished(() => database.close())
  return database
}

const unasked: Partial<ChatHandlerOptions> = { toolApproval: {} }
const start = (
  steps: readonly ModelStep[],
  more: Partial<ChatHandlerOptions>,
  execute?: (to: string) => unknown,
) => startAsking(steps, { ...unasked, ...more }, execute)

/** A model that says nothing any more after these steps: the server is lost while it thinks. */
function thenSilent(steps: readonly ModelStep[]) {
  const model = scriptedModel(steps)
  let left = steps.length
  return new MockLanguageModelV4({
    doStream: async (options) =>
      left-- > 0 ? model.doStream(options) : new Promise(() => undefined),
  })
}

/** A server that is lost once its calls have run. */
async function lostAfter(
  step: Exclude<ModelStep, string>,
  database: AssentDatabase,
  more: Partial<ChatHandlerOptions> = {},
) {
  const server = await start([], { database, model: thenSilent([step]), ...more })
  const cut = readEvents(await server.chat.post(question))
  await cut.until(`"tool-output-available","toolCallId":"${step.at(-1)?.[0]}"`)
  await cut.leave()
  return server
}

/** A server that is lost while its call runs. */
async function lostWhileRunning(database: AssentDatabase) {
  const begun = Promise.withResolvers<void>()
  // Of a process that is gone nobody hears that a run goes on, or how it ended.
  const ledger = { ...sqliteLedger(database), renew: async () => {}, end: async () => {} }
  const server = await start([ask], { ledger }, () => {
    begun.resolve()
    return new Promise(() => undefined)
  })
  const cut = readEvents(await server.chat.post(question))
  await begun.promise
  await cut.leave()
  return server
}

const promptOf = (model: MockLanguageModelV4, step = 0) =>
  JSON.stringify(model.doStreamCalls[step]?.prompt)

describe('a call that ran unasked in an answer that was lost', () => {
  test('begins the next answer with its outcome, and does not run again', async () => {
    const database = shared()
    const first = await lostAfter(ask, database)
    const second = await start(['Sent.'], { database })
    const messages = await answered(question, await second.chat.post(question))
    expect([first.effects, second.effects]).toEqual([['send ada'], []])
    expect(callsOf(messages)).toMatchObject([
      { toolCallId: '1', state: 'output-available', output: 'receipt 1', input: { to: 'ada' } },
    ])
    const types = messages.at(-1)?.parts.map(({ type }) => type)
    expect(types).toEqual(['step-start', 'tool-send', 'step-start', 'text'])
    expect(callsAndResults(second.model.doStreamCalls[0]?.prompt)).toEqual({
      calls: ['1'],
      results: ['1'],
    })
    expect(promptOf(second.model)).toContain('receipt 1')
  })

  test('has its outcome, too, when the model makes the very same call again', async () => {
    const database = shared()
    await lostAfter(ask, database)
    const second = await start([ask, 'Sent.'], { database })
    const messages = await answered(question, await second.chat.post(question))
    expect(second.effects).toEqual([])
    expect(JSON.stringify(messages)).toContain('receipt 1')
    expect(messages.at(-1)?.parts.at(-1)).toMatchObject({ type: 'text', text: 'Sent.' })
  })

  test('asks a person when the model makes it again under another id', async () => {
    const database = shared()
    await lostAfter(ask, database)
    const again = [['2', 'send', { to: 'ada' }]] satisfies ModelStep
    const second = await start([again, 'Sent twice.'], { database })
    const paused = await answered(question, await second.chat.post(question))
    expect(callsOf(paused).at(-1)).toMatchObject({ toolCallId: '2', state: 'approval-requested' })
    expect(second.effects).toEqual([])
    await answered(paused, await second.chat.post(decided(paused, true)))
    expect(second.effects).toEqual(['send ada'])
  })

  test('whose outcome nobody knows is told so, and not run again', async () => {
    const database = shared()
    await lostWhileRunning(database)
    const second = await start([ask, 'Who knows.'], { database })
    second.clock.now += 15_001
    const messages = await answered(question, await second.chat.post(question))
    expect(second.effects).toEqual([])
    expect(callsOf(messages)[0]).toMatchObject({
      state: 'output-error',
      errorText: expect.stringContaining('may have taken effect'),
    })
    expect(promptOf(second.model)).toContain('may have taken effect')
  })

  test('is told after the results of what the request has decided', async () => {
    const database = shared()
    const rules: Partial<ChatHandlerOptions> = {
      toolApproval: {
        send: ({ to }: { to: string }) => (to === 'ada' ? 'user-approval' : 'approved'),
      },
    }
    const more = [['2', 'send', { to: 'bob' }]] satisfies ModelStep
    const first = await start([], { database, ...rules, model: thenSilent([ask, more]) })
    const yes = decided(await answered(question, await first.chat.post(question)), true)
    const cut = readEvents(await first.chat.post(yes))
    await cut.until('receipt 2')
    await cut.leave()
    const second = await start(['Sent.'], { database, ...rules })
    const messages = await answered(yes, await second.chat.post(yes))
    expect(callsOf(messages)).toMatchObject([{ output: 'receipt 1' }, { output: 'receipt 2' }])
    expect(second.effects).toEqual([])
    expect(callsAndResults(second.model.doStreamCalls[0]?.prompt)).toEqual({
      calls: ['1', '2'],
      results: ['1', '2'],
    })
  })

  test('stays told in every later step of the answer', async () => {
    const database = shared()
    await lostAfter(ask, database)
    const other = [['2', 'send', { to: 'bob' }]] satisfies ModelStep
    const second = await start([other, [['3', 'send', { to: 'eve' }]], 'Sent.'], { database })
    await (await second.chat.post(question)).text()
    expect(callsAndResults(second.model.doStreamCalls.at(-1)?.prompt)).toEqual({
      calls: ['1', '2', '3'],
      results: ['1', '2', '3'],
    })
  })

  test('is told again when the answer that told of it was lost, too', async () => {
    const database = shared()
    await lostAfter(ask, database)
    await lostAfter([['2', 'send', { to: 'bob' }]], database)
    const third = await start(['Sent.'], { database })
    const messages = await answered(question, await third.chat.post(question))
    expect(callsOf(messages)).toMatchObject([
      { toolCallId: '1', input: { to: 'ada' }, output: 'receipt 1' },
      { toolCallId: '2', input: { to: 'bob' }, output: 'receipt 1' },
    ])
    expect(third.effects).toEqual([])
  })

  test('closes the call that a page was left with, for the model', async () => {
    const database = shared()
    await lostAfter(ask, database)
    const left: UIMessage[] = [
      ...question,
      {
        id: 'a',
        role: 'assistant',
        parts: [
          { type: 'step-start' },
          { type: 'tool-send', toolCallId: '1', state: 'input-available', input: { to: 'ada' } },
        ],
      },
      userMessage('And?'),
    ]
    const second = await start(['Sent.'], { database })
    const messages = await answered(left, await second.chat.post(left))
    expect(callsOf(messages)).toEqual([])
    expect(promptOf(second.model)).toContain('receipt 1')
  })
})

describe('a call that ran unasked', () => {
  test('does not stand in for a later one of the same id, as providers use ids again', async () => {
    const database = shared()
    const first = await start([ask, 'Sent.'], { database })
    const messages = await answered(question, await first.chat.post(question))
    const more = [...messages, userMessage('Once more')]
    await lostAfterPost(database, more)
    const third = await start(['Sent.'], { database })
    const after = await answered(more, await third.chat.post(more))
    expect(callsOf(after)).toMatchObject([{ toolCallId: '1', output: 'receipt 1' }])
    expect(third.effects).toEqual([])
  })

  async function lostAfterPost(database: AssentDatabase, messages: UIMessage[]) {
    const server = await start([], { database, model: thenSilent([ask]) })
    const cut = readEvents(await server.chat.post(messages))
    await cut.until('tool-output-available')
    await cut.leave()
  }

  test('is kept of no tool that only reads', async () => {
    const database = shared()
    const options = { toolOptions: { send: { risk: 'read' } } } as const
    await lostAfter(ask, database, options)
    const second = await start([ask, 'Sent.'], { database, ...options })
    await (await second.chat.post(question)).text()
    expect(second.effects).toEqual(['send ada'])
  })

  test('goes on in another process: the next answer waits for it, and the one before runs no more', async () => {
    const database = shared()
    const result = Promise.withResolvers<string>()
    const begun = Promise.withResolvers<void>()
    const more = [['2', 'send', { to: 'bob' }]] satisfies ModelStep
    const first = await start([ask, more, 'Sent.'], { database, runLeaseMs: 200 }, () => {
      begun.resolve()
      return result.promise
    })
    const left = await first.chat.post(question)
    await begun.promise
    const second = await start(['Sent.'], { database, runLeaseMs: 200 })
    const waiting = second.chat.post(question)
    const stale = readEvents(left)
    // It has begun when the first is not the latest any more.
    const latest = () => database.sqlite.prepare('SELECT answer_id FROM latest_answer').get()
    const run = database.sqlite.prepare('SELECT run_json FROM untold_run').get()
    const { answerId } = JSON.parse(String(run?.['run_json']))
    await expect.poll(() => latest()?.['answer_id']).not.toBe(answerId)
    result.resolve('a receipt')
    const messages = await answered(question, await waiting)
    expect(callsOf(messages)).toMatchObject([{ toolCallId: '1', output: 'a receipt' }])
    expect(await stale.rest()).toContain('Another request of this conversation')
    expect([first.effects, second.effects]).toEqual([['send ada'], []])
  })

  test('that does not heed a stop keeps no later answer waiting', async () => {
    const begun = Promise.withResolvers<void>()
    const server = await start([ask, 'Who knows.'], { database: shared() }, () => {
      begun.resolve()
      return new Promise(() => undefined)
    })
    const response = await server.chat.post(question)
    await begun.promise
    await server.chat.stop()
    await response.text()
    server.clock.now += 2
    const messages = await answered(question, await server.chat.post(question))
    expect(callsOf(messages)).toMatchObject([
      { state: 'output-error', errorText: expect.stringContaining('may have taken effect') },
    ])
  })

  test('does not run when its ledger cannot be written', async () => {
    const database = shared()
    const ledger = {
      ...sqliteLedger(database),
      claimUnasked: () => Promise.reject(new Error('disk full')),
    }
    const server = await start([ask, 'Not sent.'], { ledger })
    const messages = await answered(question, await server.chat.post(question))
    expect(callsOf(messages)).toMatchObject([{ state: 'output-error' }])
    expect(server.effects).toEqual([])
  })
})
