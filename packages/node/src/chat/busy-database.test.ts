import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startNode } from '../../test/node-process.ts'
import { userMessage } from '../../test/raw-chat.ts'
import { createScratch, type Scratch } from '../../test/scratch.ts'
import { serveChat } from '../../test/serve-chat.ts'
import { talkingModel, type SpokenAnswer } from '../../test/talking-model.ts'
import type { AuditLog } from '../audit/audit-log.ts'
import { auditLog } from '../audit/sqlite-audit.ts'
import { openDatabase } from '../sqlite/open-database.ts'
import { sqliteStorage } from '../sqlite/sqlite-storage.ts'

const isSoak = process.env['ASSENT_SOAK'] === '1'
const isDeep = isSoak || process.env['ASSENT_DEEP'] === '1'
const LOCK = join(import.meta.dirname, '../../test/lock-process.fixture.ts')
const STREAMS = 20
/** How many calls the audit has that is searched. */
const CALLS = isSoak ? 500_000 : isDeep ? 10_000 : 1_000
/** Of these in one transaction. */
const CHUNK = 1_000
/** How long another process keeps the database locked, in milliseconds. */
const HELD_MS = isDeep ? 20_000 : 3_000

let scratch: Scratch

beforeEach(() => {
  scratch = createScratch()
})

afterEach(() => scratch.remove())

/** Counts for a second or more. */
const LONG = {
  sql: `WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < ?)
    SELECT count(*) AS count FROM counted`,
  values: [5_000_000],
}

/** Reads a stream until some words have come. */
function reading(response: Response) {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  return async (words: string) => {
    while (!text.includes(words)) {
      const part = await reader?.read()
      if (part?.value === undefined) throw new Error(`The stream ended before "${words}": ${text}`)
      text += decoder.decode(part.value)
    }
    text = ''
  }
}

/** A server whose answers are under way. */
async function startStreams() {
  const path = join(scratch.path, 'data.db')
  const database = openDatabase(path, { busyTimeoutMs: HELD_MS + 60_000 })
  const { model, answer } = talkingModel()
  const server = await serveChat({ model, database, rateLimit: false })
  const ask = (id: string) =>
    fetch(server.api, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id, messages: [userMessage('Hello')] }),
    })
  const streams: { said: SpokenAnswer; read: (words: string) => Promise<void> }[] = []
  for (let count = 1; count <= STREAMS; count++) {
    const response = await ask(`chat ${count}`)
    streams.push({ said: await answer(count), read: reading(response) })
  }
  let rounds = 0
  return {
    database,
    server,
    ask,
    answer,
    /** All streams say something, which all pages read, until it is enough; tells the longest of such rounds. */
    async flow(isEnough: (rounds: number) => boolean) {
      let longestMs = 0
      let count = 0
      while (!isEnough(count)) {
        const began = performance.now()
        const words = `word ${rounds++}.`
        for (const { said } of streams) said.say(words)
        await Promise.all(streams.map(({ read }) => read(words)))
        longestMs = Math.max(longestMs, performance.now() - began)
        count++
      }
      return `${count} rounds of ${STREAMS} streams, the longest in ${Math.round(longestMs)} ms`
    },
    async finish() {
      for (const { said } of streams) said.finish()
      await Promise.all(streams.map(({ read }) => read('[DONE]')))
      await database.close()
    },
  }
}

const say = (text: string) => process.stdout.write(`${text}\n`)

test(
  'while another process has the database locked, answers stream on, and what is to be written waits for it',
  async () => {
    const { database, server, ask, answer, flow, finish } = await startStreams()
    const lock = startNode(LOCK, database.path)
    expect(await lock.line()).toBe('locked')
    const order: string[] = []
    const storage = sqliteStorage(database)
    const writing = storage
      .write('conversation/a', { put: new Map([['k', 1]]) }, { durability: 'strict' })
      .then(() => order.push('written'))
    const late = ask('late').then(reading)
    void answer(STREAMS + 1).then(() => order.push('asked the model'))

    const until = performance.now() + HELD_MS
    say(`under a lock of ${HELD_MS} ms: ${await flow(() => performance.now() >= until)}`)
    order.push('streamed')
    // It is there to be read, but for what waits.
    expect(await storage.read('conversation/a')).toEqual(new Map())

    lock.say('let go')
    expect(await lock.line()).toBe('free')
    await writing
    const readLate = await late
    const said = await answer(STREAMS + 1)
    // A new answer needs no write of what is locked.
    expect(order).toEqual(['asked the model', 'streamed', 'written'])
    said.say('at last')
    await readLate('at last')
    said.finish()
    await readLate('[DONE]')
    await finish()
    expect(server.errors).toEqual([])
  },
  HELD_MS + 60_000,
)

test(
  'while the audit is searched, answers stream on',
  async () => {
    const { database, server, flow, finish } = await startStreams()
    const audit = auditLog(database)
    for (let from = 0; from < CALLS; from += CHUNK) {
      const noting: Promise<unknown>[] = []
      await database.transaction(() => {
        for (let index = from; index < from + CHUNK; index++) noting.push(noteCall(audit, index))
      })
      await Promise.all(noting)
    }
    say(`beside nothing: ${await flow((rounds) => rounds >= 50)}`)

    const order: string[] = []
    // What was asked for before it takes a second or more; no index helps to find a text of two characters.
    const searching = Promise.all([database.query([LONG]), audit.calls({ text: '§§' })]).then(
      ([[counted], found]) =>
        order.push(`counted ${counted?.[0]?.['count']}, found ${found.length}`),
    )
    const said = await flow((rounds) => (isSoak ? order.length > 0 : rounds >= 5))
    if (!isSoak) order.push('streamed')
    say(`beside a search of ${CALLS * 2} entries: ${said}`)
    await searching
    const found = 'counted 5000000, found 0'
    expect(order).toEqual(isSoak ? [found] : ['streamed', found])
    const verifying = audit
      .verify()
      .then((verification) => order.push(`valid ${verification.valid}`))
    say(`beside their verification: ${await flow(() => order.at(-1) === 'valid true')}`)
    await verifying
    expect(order.at(-1)).toBe('valid true')
    await finish()
    expect(server.errors).toEqual([])
  },
  isSoak ? 3_600_000 : 120_000,
)

function noteCall(audit: AuditLog, index: number): Promise<unknown> {
  const call = {
    conversationId: `conversation ${index % 5_000}`,
    messageId: `message ${index}`,
    step: 1,
    toolCallId: `call ${index}`,
    toolName: 'read',
  }
  return Promise.all([
    audit.recordCall({ ...call, phase: 'running', startedAt: index, input: { index } }),
    audit.recordCall({ ...call, phase: 'done', output: 'line of output\n'.repeat(10) }),
  ])
}
