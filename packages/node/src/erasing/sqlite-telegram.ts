import type { AssentDatabase } from '../sqlite/open-database.ts'
import { isErasedUpdate, withoutDecider, type TelegramErasure } from './telegram-subject.ts'

/** The tasks that a channel made of what was said in a conversation, or by a user. */
export function telegramTasks(
  { sqlite }: AssentDatabase,
  { conversationId, userId }: TelegramErasure,
): string[] {
  return sqlite
    .prepare('SELECT task_id AS id FROM telegram_messages WHERE conversation_id = ? OR user_id = ?')
    .all(conversationId ?? null, userId ?? null)
    .map(({ id }) => String(id))
}

/**
 * Erases what a channel knows of tasks, in a transaction of the caller, and what it has not dealt with. That it has
 * taken the messages stays, without whose they were: they become no task again, and nobody is asked about one.
 *
 * @param tasks those of the subject
 * @returns how many messages and questions there were
 */
export function eraseTelegram(
  { sqlite }: AssentDatabase,
  subject: TelegramErasure,
  tasks: Iterable<string>,
): number {
  const statements = [
    'DELETE FROM telegram_asks WHERE task_id = ?',
    'DELETE FROM telegram_replies WHERE task_id = ?',
    `UPDATE telegram_messages SET chat_id = 0, user_id = 0, message_id = 0, taken_at = 0,
       over_at = coalesce(over_at, taken_at) WHERE task_id = ? AND chat_id <> 0`,
  ].map((sql) => sqlite.prepare(sql))
  const forgetDraft = sqlite.prepare('DELETE FROM telegram_drafts WHERE task_id = ?')
  let count = 0
  for (const id of tasks) {
    forgetDraft.run(id)
    for (const statement of statements) count += Number(statement.run(id).changes)
  }
  const forget = sqlite.prepare(
    'UPDATE telegram_updates SET body = NULL WHERE bot_id = ? AND update_id = ?',
  )
  const open = sqlite.prepare(
    'SELECT bot_id AS bot, update_id AS id, body FROM telegram_updates WHERE body IS NOT NULL',
  )
  for (const { bot, id, body } of open.all()) {
    if (!isErasedUpdate(String(body), { ...subject, botId: Number(bot) })) continue
    forget.run(Number(bot), Number(id))
    count++
  }
  return count + (subject.userId === undefined ? 0 : eraseDecider(sqlite, subject.userId))
}

/** What a user said and decided where others asked. */
function eraseDecider(sqlite: AssentDatabase['sqlite'], userId: number): number {
  // A chat with one user has the number of that user.
  sqlite.prepare('DELETE FROM telegram_notices WHERE chat_id = ?').run(userId)
  sqlite.prepare('DELETE FROM telegram_places WHERE chat_id = ?').run(userId)
  sqlite
    .prepare('UPDATE telegram_asks SET confirming_by = NULL WHERE confirming_by = ?')
    .run(userId)
  const decide = sqlite.prepare('UPDATE telegram_asks SET decision_json = ? WHERE token = ?')
  let count = 0
  const decided = sqlite.prepare(
    'SELECT token, decision_json AS json FROM telegram_asks WHERE decision_json IS NOT NULL',
  )
  for (const { token, json } of decided.all()) {
    const rest = withoutDecider(String(json), userId)
    if (rest === undefined) continue
    decide.run(rest, String(token))
    count++
  }
  return count
}
