import type { UIMessage } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  answered,
  ask,
  asked,
  callsOf,
  decided,
  HOUR,
  question,
  saidIn,
  startAsking,
} from '../../test/asking-server.ts'
import { readEvents } from '../../test/raw-chat.ts'
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

/** A server whose tool runs until it is let go. */
async function startRunning(steps: readonly ModelStep[], more: Partial<ChatHandlerOptions>) {
  const begun = Promise.withResolvers<void>()
  const result = Promise.withResolvers<string>()
  const server = await startAsking(steps, { runLeaseMs: 200, ...more }, () => {
    begun.resolve()
    return result.promise
  })
  return { ...server, begun: begun.promise, finish: result.resolve, fail: result.reject }
}

const yes = (messages: readonly UIMessage[]) => decided(messages, true)

describe('a question', () => {
  test('says that a ledger stands behind it where that outlives the process', async () => {
    const descriptorOf = async (options: Partial<ChatHandlerOptions>) =>
      callsOf(await asked(await startAsking([ask], options)))[0]?.approval?.descriptor
    const database = shared()
    expect(await descriptorOf({ database })).toMatchObject({ ledger: true })
    expect(await descriptorOf({ ledger: sqliteLedger(database) })).toMatchObject({ ledger: true })
    expect(await descriptorOf({})).not.toHaveProperty('ledger')
  })

  test('says so, too, of a call that the rules approved and that waits for it', async () => {
    const step = [['0', 'send', { to: 'bob' }], ...ask] satisfies ModelStep
    const server = await startAsking([step], {
      database: shared(),
      toolApproval: {
        send: ({ to }: { to: string }) => (to === 'ada' ? 'user-approval' : 'approved'),
      },
    })
    const calls = callsOf(await asked(server))
    expect(calls).toMatchObject([
      {
        state: 'approval-responded',
        approval: { isAutomatic: true, descriptor: { ledger: true } },
      },
      { state: 'approval-requested', approval: { descriptor: { ledger: true } } },
    ])
  })
})

describe('a decision', () => {
  test('is answered by what the ledger says, ahead of the outcome', async () => {
    const database = shared()
    const first = await startAsking([ask, 'Sent.'], { database })
    const messages = yes(await asked(first))
    const events = await readEvents(await first.chat.post(messages)).rest()
    expect(saidIn(events)).toEqual(['running', 'tool-output-available'])

    const second = await startAsking(['Sent before.'], { database })
    const again = await readEvents(await second.chat.post(messages)).rest()
    expect(saidIn(again)).toEqual(['ran', 'tool-output-available'])
    expect(again).toContain('receipt 1')
    expect([first.effects, second.effects]).toEqual([['send ada'], []])
  })

  test('that is sent again while its call runs gets the very same answer', async () => {
    const server = await startRunning([ask, 'Sent.'], {})
    const messages = yes(await asked(server))
    const cut = readEvents(await server.chat.post(messages))
    await cut.until('"running"')
    await cut.leave()
    const again = readEvents(await server.chat.post(messages))
    await again.until('"running"')
    server.finish('a receipt')
    const events = await again.rest()
    expect(events).toContain('a receipt')
    expect(events).toContain('Sent.')
    expect(server.effects).toEqual(['send ada'])
    expect(server.model.doStreamCalls).toHaveLength(2)
  })

  test.each([
    ['by the same request', {}],
    ['by another one', { body: { requestId: 'other' } }],
  ])('that is sent again once its answer has ended gets that answer, %s', async (_, request) => {
    const server = await startAsking([ask, 'Sent.'], {})
    const messages = yes(await asked(server))
    const [once, twice] = [
      await readEvents(await server.chat.post(messages)).rest(),
      await readEvents(await server.chat.post(messages, request)).rest(),
    ]
    expect(saidIn(once)).toEqual(['running', 'tool-output-available'])
    // What ran then has run now; all else is told as it was.
    expect(twice).toBe(once.replace('"status":"running"', '"status":"ran"'))
    expect(server.effects).toEqual(['send ada'])
    expect(server.model.doStreamCalls).toHaveLength(2)
  })

  test('is answered anew after an answer that failed', async () => {
    const [asking, telling] = [scriptedModel([ask]), scriptedModel(['Sent.'])]
    const failing = new MockLanguageModelV4({ doStream: () => Promise.reject(new Error('away')) })
    const models = [asking, failing, telling]
    const server = await startAsking([], { model: () => models.shift() ?? telling })
    const messages = yes(await asked(server))
    expect(await readEvents(await server.chat.post(messages)).rest()).toContain('"type":"error"')
    const again = await readEvents(await server.chat.post(messages)).rest()
    expect(saidIn(again)).toEqual(['ran', 'tool-output-available'])
    expect(again).toContain('Sent.')
    expect(server.effects).toEqual(['send ada'])
  })

  test('that arrives twice at once has one answer', async () => {
    const server = await startAsking([ask, 'Sent.'], { takeOverMs: 60_000 })
    const messages = yes(await asked(server))
    const responses = await Promise.all([1, 2, 3].map(() => server.chat.post(messages)))
    const texts = await Promise.all(responses.map((response) => readEvents(response).rest()))
    // The call may have run before the last of them is read.
    expect(new Set(texts.map((text) => text.replace('"running"', '"ran"'))).size).toBe(1)
    expect(texts[0]).toContain('receipt 1')
    expect(server.effects).toEqual(['send ada'])
  })

  test('whose call runs in another process waits for its outcome there', async () => {
    const database = shared()
    const first = await startRunning([ask, 'Sent.'], { database })
    const messages = yes(await asked(first))
    const left = await first.chat.post(messages)
    await first.begun
    const second = await startAsking(['Sent.'], { database, runLeaseMs: 200 })
    const waiting = readEvents(await second.chat.post(messages))
    await waiting.until('"running"')
    first.finish('a receipt')
    const events = await waiting.rest()
    expect(saidIn(events)).toEqual(['running', 'ran', 'tool-output-available'])
    expect(events).toContain('a receipt')
    expect([first.effects, second.effects]).toEqual([['send ada'], []])
    await left.body?.cancel()
  })

  test('whose call ran in a process that is gone is not run again', async () => {
    const database = shared()
    const gone = sqliteLedger(database)
    const first = await startAsking([ask], {
      database,
      // Of a process that is gone nobody hears that a run goes on, or how it ended.
      ledger: { ...gone, renew: async () => {}, end: async () => {} },
    })
    const messages = yes(await asked(first))
    await readEvents(await first.chat.post(messages)).until('tool-output-available')
    const second = await startAsking(['Who knows.', 'Who knows.'], { database })
    second.clock.now = Date.now() + 15_001
    for (let count = 0; count < 2; count++) {
      const events = await readEvents(await second.chat.post(messages)).rest()
      expect(saidIn(events)).toEqual(['unknown', 'tool-output-error'])
    }
    expect(second.effects).toEqual([])
    expect(JSON.stringify(second.model.doStreamCalls[0]?.prompt)).toContain('may have taken effect')
  })

  test('whose call was stopped while it ran is answered that nobody knows', async () => {
    const server = await startRunning([ask, 'Who knows.'], {})
    const messages = yes(await asked(server))
    const response = await server.chat.post(messages)
    await server.begun
    await server.chat.stop()
    server.fail(new Error('aborted'))
    await response.text()
    const again = await readEvents(await server.chat.post(messages)).rest()
    expect(saidIn(again)).toEqual(['unknown', 'tool-output-error'])
    expect(server.effects).toEqual(['send ada'])
  })

  test('is answered by what the ledger has learned since it knew nothing', async () => {
    const database = shared()
    const ends: (() => Promise<void>)[] = []
    const kept = sqliteLedger(database)
    const ledger: typeof kept = {
      ...kept,
      // It is late to say how the call has ended.
      renew: async () => {},
      end: async (...end) => void ends.push(() => kept.end(...end)),
    }
    const first = await startAsking([ask, 'Sent.'], { ledger })
    const messages = yes(await asked(first))
    await readEvents(await first.chat.post(messages)).rest()
    const second = await startAsking(['Who knows.', 'Sent.'], { database })
    second.clock.now = Date.now() + 15_001
    const early = await readEvents(await second.chat.post(messages)).rest()
    expect(saidIn(early)).toEqual(['unknown', 'tool-output-error'])
    for (const end of ends) await end()
    const late = await readEvents(await second.chat.post(messages)).rest()
    expect(saidIn(late)).toEqual(['ran', 'tool-output-available'])
    expect(late).toContain('receipt 1')
    expect(second.effects).toEqual([])
  })

  test('that came in time is answered by its outcome however late it is asked for', async () => {
    const database = shared()
    const first = await startAsking([ask, 'Sent.'], { database, approvalMaxAgeMs: HOUR })
    const messages = yes(await asked(first))
    await (await first.chat.post(messages)).text()
    const denying = { type: 'denied', reason: 'closed' } as const
    const second = await startAsking(['Sent.'], {
      database,
      approvalMaxAgeMs: HOUR,
      toolApproval: () => denying,
    })
    second.clock.now += 2 * HOUR
    const events = await readEvents(await second.chat.post(messages)).rest()
    expect(saidIn(events)).toEqual(['ran', 'tool-output-available'])
  })

  test('that comes too late is answered so, at whichever process', async () => {
    const database = shared()
    const options = { database, approvalMaxAgeMs: HOUR }
    const first = await startAsking([ask, 'Too late.'], options)
    const messages = yes(await asked(first))
    const second = await startAsking(['Too late.'], options)
    second.clock.now += HOUR + 1
    for (const { chat } of [second, first]) {
      const after = await readEvents(await chat.post(messages)).rest()
      expect(saidIn(after)).toEqual(['expired', 'tool-output-error'])
    }
    expect([first.effects, second.effects]).toEqual([[], []])
  })

  test('for a call that gives its output bit by bit shows each of them', async () => {
    const server = await startAsking([ask, 'Sent.'], {}, async function* () {
      yield 'under way'
      yield 'arrived'
    })
    const messages = yes(await asked(server))
    const events = await readEvents(await server.chat.post(messages)).rest()
    expect(saidIn(events)).toEqual(['running', ...Array<string>(3).fill('tool-output-available')])
    const whole = await startAsking([ask, 'Sent.'])
    const other = yes(await answered(question, await whole.chat.post(question)))
    const said = saidIn(await readEvents(await whole.chat.post(other)).rest())
    expect(said).toEqual(['running', 'tool-output-available'])
  })
})
