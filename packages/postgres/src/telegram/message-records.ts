import type { BotRecords, TakenMessage } from '@assent/telegram'
import type { AssentPostgres, Row } from '../open-postgres.ts'

const COLUMNS = `task_id, conversation_id, chat_id::float8 as chat_id, user_id::float8 as user_id,
  message_id::float8 as message_id, taken_at::float8 as taken_at`
const FROM = 'from assent.telegram_messages where bot_id = $1'
const IN_ORDER = 'order by taken_at, message_id'

export function messageRecords({ query }: AssentPostgres, botId: number): BotRecords['messages'] {
  const ask = (sql: string, ...values: readonly unknown[]): Promise<readonly Row[]> =>
    query(sql, [botId, ...values])
  const list = async (sql: string, ...values: readonly unknown[]): Promise<TakenMessage[]> =>
    (await ask(sql, ...values)).map(toMessage)

  return {
    async take({ taskId, conversationId, chatId, userId, messageId, takenAt }) {
      const added = await ask(
        `insert into assent.telegram_messages
         (bot_id, task_id, conversation_id, chat_id, user_id, message_id, taken_at)
         values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing returning 1`,
        taskId,
        conversationId,
        chatId,
        userId,
        messageId,
        takenAt,
      )
      return added.length > 0
    },
    has: async (taskId) => (await ask(`select 1 ${FROM} and task_id = $2`, taskId)).length > 0,
    async end(taskId) {
      const ended = await ask(
        `update assent.telegram_messages set over_at = assent.clock_v1()
         where bot_id = $1 and task_id = $2 and over_at is null returning 1`,
        taskId,
      )
      return ended.length > 0
    },
    openOf: (conversationId) =>
      list(
        `select ${COLUMNS} ${FROM} and conversation_id = $2 and over_at is null ${IN_ORDER}`,
        conversationId,
      ),
    openInChat: (chatId, since) =>
      list(
        `select ${COLUMNS} ${FROM} and chat_id = $2 and taken_at > $3 and over_at is null ${IN_ORDER}`,
        chatId,
        since,
      ),
    heads: () =>
      list(
        `select distinct on (conversation_id) ${COLUMNS} ${FROM} and over_at is null
         order by conversation_id, telegram_messages.message_id`,
      ),
    async takenSince(by, id, since) {
      const column = by === 'chat' ? 'chat_id' : 'user_id'
      const rows = await ask(
        `select taken_at::float8 as at ${FROM} and ${column} = $2 and taken_at > $3
         order by telegram_messages.taken_at, message_id`,
        id,
        since,
      )
      return rows.map(({ at }) => Number(at))
    },
    async hasLater(taskId) {
      const later = await ask(
        `select 1 from assent.telegram_messages one join assent.telegram_messages other
         on other.bot_id = one.bot_id and other.conversation_id = one.conversation_id
           and other.message_id > one.message_id
         where one.bot_id = $1 and one.task_id = $2 limit 1`,
        taskId,
      )
      return later.length > 0
    },
  }
}

function toMessage(row: Row): TakenMessage {
  return {
    taskId: String(row['task_id']),
    conversationId: String(row['conversation_id']),
    chatId: Number(row['chat_id']),
    userId: Number(row['user_id']),
    messageId: Number(row['message_id']),
    takenAt: Number(row['taken_at']),
  }
}
