import { basename } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { conversationOf, DatabaseError, namespaceOf } from '@assent/engine/storage'
import { auditLog } from '../audit/sqlite-audit.ts'
import { readFrom } from '../sqlite/database-error.ts'
import type { AssentDatabase } from '../sqlite/open-database.ts'
import { eraseCalls } from './sqlite-calls.ts'
import { eraseRecords, namesWithin } from './sqlite-records.ts'
import { eraseTasks, tasksOf } from './sqlite-tasks.ts'
import { eraseTelegram, telegramTasks } from './sqlite-telegram.ts'
import { assertSubject, type Erased, type ErasureContext, type ErasureSubject } from './subject.ts'
import { isPrivateChat, telegramUser } from './telegram-subject.ts'

/** Options of {@link eraseFromSqlite}. */
export interface EraseFromSqliteOptions extends ErasureContext {
  /** Milliseconds since the epoch. Default `Date.now`. */
  readonly now?: () => number
}

/**
 * Erases what people, models and tools said of a conversation, or of a user, in all tables of a database: records,
 * approvals, tasks, replies, messages of channels, and the bodies of the audit, whose chain stays valid. When it
 * resolves, the file has nothing of it any more.
 *
 * Who holds such a conversation, or works on its task, has lost it. One that was cut off goes on where it was when it is
 * called again.
 *
 * @throws DatabaseError `invalid_argument`; `database_busy` when others still read the file as it was: call it again
 */
export async function eraseFromSqlite(
  database: AssentDatabase,
  subject: ErasureSubject,
  { who, now = Date.now }: EraseFromSqliteOptions = {},
): Promise<Erased> {
  assertSubject(subject)
  const userId = telegramUser(subject)
  const chats = userId === undefined ? [] : privateChats(database, userId)
  const subjects: readonly ErasureSubject[] = [
    subject,
    ...chats.map((conversationId) => ({ conversationId })),
  ]
  const told: (() => void)[] = []
  const erased = await database.transaction(() => {
    const sum = { records: 0, calls: 0, tasks: 0, messages: 0 }
    const at = Math.floor(now())
    for (const one of subjects) {
      // Conversations of tasks and channels have no owner.
      const conversationId = one.owner === undefined ? one.conversationId : undefined
      const channel = { conversationId, userId: one === subject ? userId : undefined }
      const own = conversationId === undefined ? [] : tasksOf(database, conversationId)
      const tasks = new Set([...own, ...telegramTasks(database, channel)])
      const { count, tell } = eraseRecords(database, one, { at, isReused: tasks.size > 0 })
      told.push(tell)
      sum.records += count
      sum.calls += eraseCalls(database, one)
      sum.tasks += eraseTasks(database, tasks, at)
      sum.messages += eraseTelegram(database, channel, tasks)
    }
    // Who missed something is told so, and reads anew.
    database.sqlite.exec('DELETE FROM channel_messages')
    return sum
  })
  for (const tell of told) tell()
  const audit = auditLog(database, { now })
  let entries = 0
  for (const one of subjects) entries += await audit.erase(one, { who })
  await emptyLog(database)
  return { ...erased, entries }
}

/** What a user of Telegram says to bots alone, in any of the conversations that there were. */
function privateChats(database: AssentDatabase, userId: number): string[] {
  const stored = namesWithin(database, namespaceOf('telegram:')).map(
    (name) => conversationOf(name)?.id ?? '',
  )
  const queued = readFrom(database, () =>
    database.sqlite
      .prepare(
        `SELECT DISTINCT conversation_id AS id FROM tasks
         WHERE conversation_id >= 'telegram:' AND conversation_id < 'telegram;'`,
      )
      .all(),
  )
  const ids = new Set([...stored, ...queued.map(({ id }) => String(id))])
  return [...ids].filter((id) => isPrivateChat(id, userId))
}

/** What was written before is in the log of the file until that is emptied, which waits for who reads it. */
async function emptyLog(database: AssentDatabase): Promise<void> {
  const until = performance.now() + database.busyTimeoutMs
  const isEmpty = () => {
    const row = database.sqlite.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()
    return Number(row?.['busy']) === 0
  }
  while (!readFrom(database, isEmpty)) {
    if (performance.now() >= until) {
      throw new DatabaseError(
        'database_busy',
        `All of it is erased, but another process still reads ${basename(database.path)} as it was. Erase once more.`,
      )
    }
    await setTimeout(25)
  }
}
