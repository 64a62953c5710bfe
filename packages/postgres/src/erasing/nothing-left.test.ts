import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { notesBeside, namespaceOf } from '@assent/engine/storage'
import { openDatabase, sqliteLedger } from '@assent/node'
import { sqliteTelegramRecords, type TelegramRecords } from '@assent/telegram'
import { sqliteStores } from '@assent/worker'
import { fillErasure, type TestedErasure } from '@assent/worker/testing'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createScratch } from '../../../node/test/scratch.ts'
import { BACKENDS } from '../../test/shared-world.ts'
import { createTestDatabase, type TestDatabase } from '../../test/test-database.ts'
import { postgresLedger } from '../chat/postgres-ledger.ts'
import { postgresStreams } from '../chat/postgres-streams.ts'
import { postgresStores } from '../tasks/postgres-stores.ts'
import { postgresTelegramRecords } from '../telegram/postgres-telegram-records.ts'

/** Tables in which nobody's words are: ids, numbers, names of processes. A new table has to be looked at. */
const WITHOUT_WORDS = {
  SQLite: [
    'assent_schema',
    'audit_head',
    'channel_members',
    'conversation_channels',
    'conversation_leases',
    'latest_answer',
    'ledger_mark',
    'ledger_store',
    'telegram_bots',
    'telegram_drafts',
    'telegram_messages',
    'telegram_moves',
    'telegram_notices',
    'telegram_places',
    'telegram_replies',
  ],
  PostgreSQL: [
    'audit_head',
    'channel_members',
    'channels',
    'latest_answers',
    'leases',
    'ledger_mark',
    'ledger_store',
    'processes',
    'stream_readers',
    'streams',
    'task_conversations',
    'telegram_bots',
    'telegram_drafts',
    'telegram_messages',
    'telegram_moves',
    'telegram_notices',
    'telegram_places',
    'telegram_replies',
    'version',
  ],
} as const

interface Kept extends TestedErasure {
  readonly telegram: TelegramRecords
  /** An answer that streams in a conversation, where streams are kept. */
  stream(conversationId: string, said: string): Promise<void>
  /** The texts in each table. */
  tables(): Promise<ReadonlyMap<string, string>>
}

let postgres: TestDatabase

beforeAll(async () => {
  postgres = await createTestDatabase()
})

afterAll(() => postgres.end())

async function openKept(backend: (typeof BACKENDS)[number]): Promise<Kept> {
  return backend === 'SQLite' ? openSqlite() : openPostgres()
}

function openSqlite(): Kept {
  const scratch = createScratch()
  const file = join(scratch.path, 'data.db')
  const [one, other] = [openDatabase(file), openDatabase(file)]
  onTestFinished(async () => {
    await Promise.all([one.close(), other.close()])
    scratch.remove()
  })
  const all = `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`
  return {
    stores: sqliteStores(one),
    other: sqliteStores(other),
    ledger: sqliteLedger(one),
    telegram: sqliteTelegramRecords(one),
    stream: async () => undefined,
    contents: async () =>
      readdirSync(scratch.path)
        .map((name) => readFileSync(join(scratch.path, name), 'latin1'))
        .join('\n'),
    async tables() {
      const names = one.sqlite.prepare(all).all()
      return new Map(
        names.map(({ name }) => {
          const rows = one.sqlite.prepare(`SELECT * FROM "${String(name)}"`).all()
          return [String(name), JSON.stringify(rows.map((row) => Object.values(row).map(String)))]
        }),
      )
    },
  }
}

async function openPostgres(): Promise<Kept> {
  const [one, other] = [await postgres.open(), await postgres.open()]
  const streams = postgresStreams(one, { onError: () => undefined })
  onTestFinished(async () => {
    await postgres.close()
    await postgres.empty()
  })
  const tables = async () => {
    const { rows } = await postgres.client.query<{ name: string }>(
      `select tablename as name from pg_tables where schemaname = 'assent'`,
    )
    const found = new Map<string, string>()
    for (const { name } of rows) {
      const sql = `select coalesce(string_agg(t::text, e'\n'), '') as text from assent."${name}" t`
      const of = await postgres.client.query<{ text: string }>(sql)
      const bytes = /\\x[0-9a-f]+/g
      const text = of.rows[0]?.text ?? ''
      found.set(
        name,
        text.replaceAll(bytes, (hex) => Buffer.from(hex.slice(2), 'hex').toString('latin1')),
      )
    }
    return found
  }
  return {
    stores: postgresStores(one),
    other: postgresStores(other),
    ledger: postgresLedger(one),
    telegram: postgresTelegramRecords(one),
    tables,
    contents: async () => [...(await tables()).values()].join('\n'),
    async stream(conversationId, said) {
      const stream = await streams.open(JSON.stringify(['', conversationId]))
      stream?.append(new TextEncoder().encode(said))
      await expect.poll(async () => (await tables()).get('stream_events')).toContain(said)
    },
  }
}

/** Says something in whatever is kept of a conversation of Telegram. */
async function say(kept: Kept, conversationId: string, said: string): Promise<void> {
  const { stores, telegram } = kept
  const [, bot, chat] = conversationId.split(':').map(Number)
  if (bot === undefined || chat === undefined) throw new Error('It is not of Telegram.')
  await fillErasure(kept, { conversationId }, said)
  const { storage, channels } = stores.conversations
  const put = new Map([['granted/1', { who: said }]])
  await storage.write(notesBeside(namespaceOf(conversationId)), { put })
  await channels.join([`assent:${conversationId}`])
  await kept.other.conversations.channels.join([`assent:${conversationId}`])
  await channels.add([{ channel: `assent:${conversationId}`, text: said }])
  await kept.stream(conversationId, said)

  const taskId = `task of ${conversationId}`
  const records = telegram.ofBot(bot)
  const userId = chat
  const at = { chatId: chat, userId, messageId: 1, takenAt: 1_700_000_000_000 }
  await records.messages.take({ taskId, conversationId, ...at })
  const asked = { callKey: 'k', round: 0, askedAt: 1, expiresAt: undefined }
  const call = { input: said }
  await records.asks.open({ token: taskId, taskId, chatId: chat, call, ...asked })
  const decision = { outcome: 'no', words: said, userId, userName: said, at: 1 } as const
  await records.asks.decide(taskId, decision)
  await records.replies.begin(taskId, 'digest', false)
  await records.notices.isDue(chat, 'stranger')
  const from = { id: userId, is_bot: false, first_name: said }
  const message = { message_id: 2, date: 1, chat: { id: chat, type: 'private', first_name: said } }
  const update = { update_id: chat, message: { ...message, from, text: said } }
  await records.updates.keep([JSON.parse(JSON.stringify(update))], 'polling')

  const late = `late of ${conversationId}`
  await stores.inbox.add({ id: late, conversationId: `${conversationId}:9`, input: said })
  await records.messages.take({ taskId: late, conversationId: `${conversationId}:9`, ...at })
  const claim = await stores.inbox.claim({ worker: 'w', leaseMs: 60_000 })
  if (claim?.task.id !== late) throw new Error('Another task is next.')
  await stores.replies.record(claim, { text: said, message: undefined })
  await stores.replies.begin(claim)
  const failed = { error: { code: 'failed', message: said }, isUnsent: true }
  await stores.replies.fail(claim, failed, 60_000)
  await stores.inbox.complete(claim)
}

const SECRET = 'marigold'

describe.each(BACKENDS)('of %s', (backend) => {
  test('every table in which words are is filled here, and none has any of them once a user is erased', async () => {
    const kept = await openKept(backend)
    await say(kept, 'telegram:7:11', SECRET)
    await say(kept, 'telegram:7:12', 'tulip')
    const before = await kept.tables()
    const without: readonly string[] = WITHOUT_WORDS[backend]
    // The index of a full-text search has its words in pieces, in tables of its own.
    const isOfWords = (name: string) => !without.includes(name) && !name.startsWith('audit_text')
    const isUnfilled = ([name, text]: readonly [string, string]) =>
      isOfWords(name) && !text.includes(SECRET)
    expect([...before].filter(isUnfilled).map(([name]) => name)).toEqual([])

    await kept.other.erase({ user: 'telegram:11' })
    await kept.other.erase({ conversationId: 'telegram:7:11:9' })
    const has = [...(await kept.tables())].filter(([, text]) => text.includes(SECRET))
    expect(has.map(([name]) => name)).toEqual([])
    expect(await kept.contents()).not.toContain(SECRET)
    expect(await kept.contents()).toContain('tulip')
    expect(kept.stores.audit && (await kept.stores.audit.verify())).toMatchObject({ valid: true })
  })

  test('nothing is left of a conversation that is erased', async () => {
    const kept = await openKept(backend)
    await say(kept, 'telegram:7:11', SECRET)
    await kept.other.erase({ conversationId: 'telegram:7:11' })
    await kept.other.erase({ conversationId: 'telegram:7:11:9' })
    expect(await kept.contents()).not.toContain(SECRET)
  })
})
