import type { AssentDatabase } from '@assent/node'

/** A message that became a task. Times are milliseconds since the epoch. */
export interface TakenMessage {
  readonly taskId: string
  readonly conversationId: string
  readonly chatId: number
  readonly userId: number
  readonly messageId: number
  readonly takenAt: number
}

/** The messages that became tasks. */
export interface KeptMessages {
  /** Notes a message before its task is added; `false` when that was noted before. */
  take(message: TakenMessage): boolean
  has(taskId: string): boolean
  /** Says that the task is over; `false` when that was said before. */
  end(taskId: string, at: number): boolean
  /** Those of which that was not said: of a conversation, or of a chat since a time; oldest first. */
  openOf(conversationId: string): TakenMessage[]
  openInChat(chatId: number, since: number): TakenMessage[]
  /** Of every conversation the first that is open. */
  heads(): TakenMessage[]
  /** When those of a chat or user were taken since a time, oldest first. */
  takenSince(by: 'chat' | 'user', id: number, since: number): number[]
  /** Whether one was taken after it in the same conversation. */
  hasLater(taskId: string): boolean
}

export function keptMessages({ sqlite }: AssentDatabase, botId: number): KeptMessages {
  const columns = `task_id AS taskId, conversation_id AS conversationId, chat_id AS chatId,
    user_id AS userId, message_id AS messageId, taken_at AS takenAt`
  const from = `FROM telegram_messages WHERE bot_id = ?`
  const inOrder = 'ORDER BY taken_at, message_id'
  const statements = {
    take: sqlite.prepare(
      `INSERT OR IGNORE INTO telegram_messages
       (bot_id, task_id, conversation_id, chat_id, user_id, message_id, taken_at)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    ),
    has: sqlite.prepare(`SELECT 1 ${from} AND task_id = ?`),
    end: sqlite.prepare(
      `UPDATE telegram_messages SET over_at = ? WHERE bot_id = ? AND task_id = ? AND over_at IS NULL`,
    ),
    openOf: sqlite.prepare(
      `SELECT ${columns} ${from} AND conversation_id = ? AND over_at IS NULL ${inOrder}`,
    ),
    openInChat: sqlite.prepare(
      `SELECT ${columns} ${from} AND chat_id = ? AND taken_at > ? AND over_at IS NULL ${inOrder}`,
    ),
    heads: sqlite.prepare(
      `SELECT ${columns}, min(message_id) ${from} AND over_at IS NULL
       GROUP BY conversation_id`,
    ),
    chat: sqlite.prepare(
      `SELECT taken_at AS at ${from} AND chat_id = ? AND taken_at > ? ${inOrder}`,
    ),
    user: sqlite.prepare(
      `SELECT taken_at AS at ${from} AND user_id = ? AND taken_at > ? ${inOrder}`,
    ),
    hasLater: sqlite.prepare(
      `SELECT 1 FROM telegram_messages AS one JOIN telegram_messages AS other
       ON other.bot_id = one.bot_id AND other.conversation_id = one.conversation_id
         AND other.message_id > one.message_id
       WHERE one.bot_id = ? AND one.task_id = ? LIMIT 1`,
    ),
  }
  return {
    take: ({ taskId, conversationId, chatId, userId, messageId, takenAt }) =>
      statements.take.run(botId, taskId, conversationId, chatId, userId, messageId, takenAt)
        .changes > 0,
    has: (taskId) => statements.has.get(botId, taskId) !== undefined,
    end: (taskId, at) => statements.end.run(at, botId, taskId).changes > 0,
    openOf: (conversationId) => statements.openOf.all(botId, conversationId).map(toMessage),
    openInChat: (chatId, since) => statements.openInChat.all(botId, chatId, since).map(toMessage),
    heads: () => statements.heads.all(botId).map(toMessage),
    takenSince: (by, id, since) =>
      statements[by].all(botId, id, since).map((row) => Number(row['at'])),
    hasLater: (taskId) => statements.hasLater.get(botId, taskId) !== undefined,
  }
}

function toMessage(row: Readonly<Record<string, unknown>>): TakenMessage {
  return {
    taskId: String(row['taskId']),
    conversationId: String(row['conversationId']),
    chatId: Number(row['chatId']),
    userId: Number(row['userId']),
    messageId: Number(row['messageId']),
    takenAt: Number(row['takenAt']),
  }
}
