// 100 answers that stream while their SQLite file is locked by another process, and while much is read from it,
// beside the same with nothing else, measured in one run:
//
//   node --conditions=@assent/source bench/locked-database.ts
//
// The longest time by which a word was late at its page. `ASSENT_SECONDS` is how long each of them lasts.
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import {
  auditLog,
  createChatHandler,
  openDatabase,
  sqliteStorage,
  toNodeListener,
} from '@assent/node'
import { storedConversations, type ConversationStorage } from '@assent/engine/storage'
import { startNode } from '../packages/node/test/node-process.ts'
import { wordsModel } from './two-servers/words-model.ts'

const STREAMS = 100
const INTERVAL_MS = 100
const SECONDS = Number(process.env['ASSENT_SECONDS'] ?? 20)
/** Words of an answer until all others have begun. */
const BEGUN = 20
const CONVERSATIONS = 10_000
const RECORDS = 40_000
const CALLS = 20_000
const LOCK = join(import.meta.dirname, '../packages/node/test/lock-process.fixture.ts')

const folder = mkdtempSync(join(tmpdir(), 'assent-locked-'))
const path = join(folder, 'data.db')
const database = openDatabase(path, { busyTimeoutMs: 60_000 })
const storage = sqliteStorage(database)
const audit = auditLog(database)
const chat = createChatHandler({
  model: wordsModel((SECONDS * 1_000) / INTERVAL_MS, INTERVAL_MS),
  approvalSecret: 'a secret of the benchmarks',
  rateLimit: false,
  database,
})
const server = createServer(toNodeListener(chat))
await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', () => resolve()))
const address = server.address()
if (address === null || typeof address === 'string') throw new Error('There is no port.')
const api = `http://127.0.0.1:${address.port}/api/chat`
let conversations = 0

/** The longest time by which a word came later than the interval after the one before, once all answers have begun. */
async function latest(): Promise<number> {
  const id = `c${++conversations}`
  const messages = [{ id: 'u', role: 'user', parts: [{ type: 'text', text: 'Go' }] }]
  const response = await fetch(api, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id, messages }),
  })
  if (!response.ok || !response.body) throw new Error(`It was answered with ${response.status}.`)
  const decoder = new TextDecoder()
  let [last, longest, words] = [0, 0, 0]
  for await (const bytes of response.body) {
    if (!decoder.decode(bytes).includes('text-delta')) continue
    const now = performance.now()
    if (++words > BEGUN) longest = Math.max(longest, now - last - INTERVAL_MS)
    last = now
  }
  return longest
}

let base = Number.NaN

async function measure(
  what: string,
  beside: (over: AbortSignal) => Promise<string>,
): Promise<void> {
  const over = new AbortController()
  const answers = Promise.all(Array.from({ length: STREAMS }, latest))
  const [times, did] = await Promise.all([answers.finally(() => over.abort()), beside(over.signal)])
  const longest = Math.max(...times)
  if (Number.isNaN(base)) base = longest
  process.stdout.write(
    `${what.padEnd(28)} a word is late by ${longest.toFixed(0)} ms at most, ${(longest / base).toFixed(1)} ×${did}\n`,
  )
}

/** What other pages and workers store meanwhile. */
async function keepWriting(over: AbortSignal): Promise<number> {
  let written = 0
  while (!over.aborted) {
    await storage.write('other', { put: new Map([['k', written]]) }, { durability: 'strict' })
    written++
    await new Promise((resolve) => void setTimeout(resolve, 20))
  }
  return written
}

/** What the pages of people with much history ask for, one after the other. */
async function keepReading(over: AbortSignal): Promise<number> {
  const stored = storedConversations(storage)
  let rounds = 0
  while (!over.aborted) {
    await stored.list()
    await storage.read('conversation/long')
    await stored.search('nowhere')
    await audit.query({ text: '§§' })
    await audit.verify()
    rounds++
  }
  return rounds
}

/** What any thread costs the others where there are few cores: what is read has one, too. */
async function keepBusy(over: AbortSignal): Promise<string> {
  const busy = new Worker('for (;;) {}', { eval: true })
  await once(over, 'abort')
  await busy.terminate()
  return ''
}

async function fill(into: ConversationStorage): Promise<void> {
  await database.transaction(() => {
    const put = database.sqlite.prepare('INSERT INTO conversation_records VALUES (?, ?, ?)')
    for (let index = 0; index < CONVERSATIONS; index++) {
      const about = { title: `Conversation ${index}`, createdAt: index, updatedAt: index }
      const rest = { messageCount: 2, requestState: 'completed', waitingCount: 0, version: 3 }
      put.run(`conversation/${index}`, 'about', JSON.stringify({ ...about, ...rest }))
    }
  })
  const text = 'word '.repeat(60)
  const records = Array.from(
    { length: RECORDS },
    (_, index) => [`message/${index}`, { text }] as const,
  )
  await into.write('conversation/long', { put: new Map(records) })
  const noting: Promise<unknown>[] = []
  await database.transaction(() => {
    for (let index = 0; index < CALLS; index++) {
      const call = { conversationId: 'c', toolCallId: `${index}`, toolName: 'read' }
      noting.push(
        audit.recordCall({ ...call, phase: 'done', output: 'line of output\n'.repeat(10) }),
      )
    }
  })
  await Promise.all(noting)
}

try {
  await fill(storage)
  process.stdout.write(`${STREAMS} answers, a word in ${INTERVAL_MS} ms, for ${SECONDS} s each\n`)
  await measure('with nothing else', async () => '')
  await measure('while others write', async (over) => `; ${await keepWriting(over)} writes`)
  const lock = startNode(LOCK, path)
  if ((await lock.line()) !== 'locked') throw new Error('There is no lock.')
  await measure('while the file is locked', async (over) => {
    const writing = keepWriting(over)
    over.addEventListener('abort', () => lock.say('let go'))
    return `; ${(await writing) - 1} writes before it was let go`
  })
  await lock.ended
  await measure('beside a busy thread', keepBusy)
  await measure('while much is read', async (over) => `; ${await keepReading(over)} rounds`)
} finally {
  server.closeAllConnections()
  server.close()
  await database.close()
  rmSync(folder, { recursive: true })
}
