import { conversationOf, namespaceOf } from '@assent/engine/storage'
import {
  assertSubject,
  isPrivateChat,
  telegramUser,
  type Erased,
  type ErasureContext,
  type ErasureSubject,
} from '@assent/node/audit'
import { postgresAudit } from '../audit/postgres-audit.ts'
import { namespaceWatch } from '../conversations/namespace-watch.ts'
import type { AssentPostgres } from '../open-postgres.ts'
import { eraseCalls } from './calls.ts'
import { eraseRecords, namesWithin } from './records.ts'
import { eraseTasks, tasksOf } from './tasks.ts'
import { eraseTelegram, telegramTasks } from './telegram.ts'

/**
 * Erases what people, models and tools said of a conversation, or of a user, in all tables of a database: records,
 * approvals, streams of answers, tasks, replies, messages of channels, and the bodies of the audit, whose chain stays
 * valid. PostgreSQL overwrites what was there when it vacuums.
 *
 * Who holds such a conversation, or works on its task, has lost it. One that was cut off goes on where it was when it is
 * called again.
 *
 * @throws DatabaseError `invalid_argument` …
 */
export async function eraseFromPostgres(
  database: AssentPostgres,
  subject: ErasureSubject,
  { who }: ErasureContext = {},
): Promise<Erased> {
  assertSubject(subject)
  const userId = telegramUser(subject)
  const chats = userId === undefined ? [] : await privateChats(database, userId)
  const subjects: readonly ErasureSubject[] = [
    subject,
    ...chats.map((conversationId) => ({ conversationId })),
  ]
  const { changed, ...erased } = await database.transaction(async (client) => {
    const sum = { records: 0, calls: 0, tasks: 0, messages: 0, changed: [] as string[] }
    for (const one of subjects) {
      // Conversations of tasks and channels have no owner.
      const conversationId = one.owner === undefined ? one.conversationId : undefined
      const channel = { conversationId, userId: one === subject ? userId : undefined }
      const own = conversationId === undefined ? [] : await tasksOf(client, conversationId)
      const tasks = [...new Set([...own, ...(await telegramTasks(client, channel))])]
      const records = await eraseRecords(client, one, tasks.length > 0)
      sum.changed.push(...records.changed)
      sum.records += records.count
      sum.calls += await eraseCalls(client, one)
      sum.tasks += await eraseTasks(client, tasks)
      sum.messages += await eraseTelegram(client, channel, tasks)
    }
    // Who missed something is told so, and reads anew.
    await client.query('delete from assent.channel_messages')
    return sum
  })
  const watch = namespaceWatch(database)
  for (const name of changed) watch.changed(name)
  const audit = postgresAudit(database)
  let entries = 0
  for (const one of subjects) entries += await audit.erase(one, { who })
  return { ...erased, entries }
}

/** What a user of Telegram says to bots alone, in any of the conversations that there were. */
async function privateChats(database: AssentPostgres, userId: number): Promise<string[]> {
  const names = await namesWithin(database.query, namespaceOf('telegram:'))
  const queued = await database.query(
    `select id from assent.task_conversations where id >= 'telegram:' and id < 'telegram;'`,
  )
  const ids = new Set([
    ...names.map((name) => conversationOf(name)?.id ?? ''),
    ...queued.map(({ id }) => String(id)),
  ])
  return [...ids].filter((id) => isPrivateChat(id, userId))
}
