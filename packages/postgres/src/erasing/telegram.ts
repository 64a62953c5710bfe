import { isErasedUpdate, withoutDecider, type TelegramErasure } from '@assent/node/audit'
import type { PoolClient } from 'pg'
import type { Row } from '../open-postgres.ts'

/** The tasks that a channel made of what was said in a conversation, or by a user. */
export async function telegramTasks(
  client: PoolClient,
  { conversationId, userId }: TelegramErasure,
): Promise<string[]> {
  const { rows } = await client.query<Row>(
    `select task_id as id from assent.telegram_messages
     where conversation_id = $1 or user_id = $2::bigint`,
    [conversationId ?? null, userId ?? null],
  )
  return rows.map(({ id }) => String(id))
}

/**
 * Erases what a channel knows of tasks, and what it has not dealt with. That it has taken the messages stays, without
 * whose they were: they become no task again, and nobody is asked about one.
 *
 * @param tasks those of the subject
 * @returns how many messages and questions there were
 */
export async function eraseTelegram(
  client: PoolClient,
  subject: TelegramErasure,
  tasks: readonly string[],
): Promise<number> {
  const change = async (sql: string, ...values: readonly unknown[]): Promise<number> =>
    (await client.query(sql, [...values])).rowCount ?? 0
  // Before the questions: whoever asks one has the row of its message.
  let count = await change(
    `update assent.telegram_messages set chat_id = 0, user_id = 0, message_id = 0, taken_at = 0,
       over_at = coalesce(over_at, taken_at)
     where task_id = any ($1::text[]) and chat_id <> 0`,
    tasks,
  )
  count += await change('delete from assent.telegram_asks where task_id = any ($1::text[])', tasks)
  count += await change(
    'delete from assent.telegram_replies where task_id = any ($1::text[])',
    tasks,
  )
  await change('delete from assent.telegram_drafts where task_id = any ($1::text[])', tasks)
  const open = await client.query<Row>(
    `select bot_id::float8 as bot, update_id::float8 as id, body::text as body
     from assent.telegram_updates where body is not null`,
  )
  for (const { bot, id, body } of open.rows) {
    if (!isErasedUpdate(String(body), { ...subject, botId: Number(bot) })) continue
    count += await change(
      'update assent.telegram_updates set body = null where bot_id = $1 and update_id = $2',
      bot,
      id,
    )
  }
  if (subject.userId === undefined) return count
  // A chat with one user has the number of that user.
  await change('delete from assent.telegram_notices where chat_id = $1', subject.userId)
  await change('delete from assent.telegram_places where chat_id = $1', subject.userId)
  await change(
    'update assent.telegram_asks set confirming_by = null where confirming_by = $1',
    subject.userId,
  )
  const decided = await client.query<Row>(
    'select token, decision::text as json from assent.telegram_asks where decision is not null',
  )
  for (const { token, json } of decided.rows) {
    const rest = withoutDecider(String(json), subject.userId)
    if (rest === undefined) continue
    count += await change(
      'update assent.telegram_asks set decision = $2::json where token = $1',
      token,
      rest,
    )
  }
  return count
}
