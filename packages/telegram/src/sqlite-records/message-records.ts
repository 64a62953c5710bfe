import type { AssentDatabase } from '@assent/node'
import type { MessageRecords, TakenMessage } from '../telegram-records.ts'

export function messageRecords(
  { sqlite, transaction }: AssentDatabase,
  botId: number,
  now: () => number,
): MessageRecords {
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
    async take({ taskId, conversationId, chatId, userId, messageId, takenAt }) {
      const values = [taskId, conversationId, chatId, userId, messageId, takenAt]
      return transaction(() => statements.take.run(botId, ...values).changes > 0)
    },
    has: async (taskId) => statements.has.get(botId, taskId) !== undefined,
    end: async (taskId) => transaction(() => statements.end.run(now(), botId, taskId).changes > 0),
    openOf: async (conversationId) => statements.openOf.all(botId, conversationId).map(toMessage),
    openInChat: async (chatId, since) =>
      statements.openInChat.all(botId, chatId, since).map(toMessage),
    heads: async () => statements.heads.all(botId).map(toMessage),
    takenSince: async (by, id, since) =>
      statements[by].all(botId, id, since).map((row) => Number(row['at'])),
    hasLater: async (taskId) => statements.hasLater.get(botId, taskId) !== undefined,
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
