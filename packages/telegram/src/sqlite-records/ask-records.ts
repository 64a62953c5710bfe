import type { AssentDatabase } from '@assent/node'
import type { AskRecord, AskRecords } from '../telegram-records.ts'

export function askRecords(
  { sqlite, transaction }: AssentDatabase,
  botId: number,
  now: () => number,
): AskRecords {
  const where = (condition: string): string =>
    `SELECT * FROM telegram_asks WHERE ${condition} AND bot_id = ? ORDER BY asked_at, round`
  const set = (column: string) =>
    sqlite.prepare(`UPDATE telegram_asks SET ${column} = ? WHERE token = ? AND bot_id = ?`)
  const statements = {
    open: sqlite.prepare(
      `INSERT OR IGNORE INTO telegram_asks
       (token, bot_id, chat_id, task_id, call_key, round, call_json, asked_at, expires_at)
       SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?
       WHERE NOT EXISTS (SELECT 1 FROM telegram_messages WHERE bot_id = ? AND task_id = ? AND chat_id = 0)`,
    ),
    get: sqlite.prepare(where('token = ?')),
    byMessage: sqlite.prepare(where('chat_id = ? AND message_id = ?')),
    ofTask: sqlite.prepare(where('task_id = ?')),
    notOver: sqlite.prepare(where('over_at IS NULL')),
    decide: sqlite.prepare(
      `UPDATE telegram_asks SET decision_json = ?
       WHERE token = ? AND bot_id = ? AND decision_json IS NULL`,
    ),
    message: set('message_id'),
    confirming: set('confirming_by'),
    delivered: set('delivered_at'),
    over: set('over_at'),
  }
  const get = (token: string): AskRecord | undefined => {
    const row = statements.get.get(token, botId)
    return row && toAsk(row)
  }
  return {
    async open({ token, chatId, taskId, callKey, round, call, askedAt, expiresAt }) {
      const json = JSON.stringify(call)
      const values = [chatId, taskId, callKey, round, json, askedAt, expiresAt ?? null]
      return transaction(
        () => statements.open.run(token, botId, ...values, botId, taskId).changes > 0,
      )
    },
    get: async (token) => get(token),
    async byMessage(chatId, messageId) {
      const row = statements.byMessage.get(chatId, messageId, botId)
      return row && toAsk(row)
    },
    ofTask: async (taskId) => statements.ofTask.all(taskId, botId).map(toAsk),
    notOver: async () => statements.notOver.all(botId).map(toAsk),
    async setMessage(token, messageId) {
      await transaction(() => statements.message.run(messageId, token, botId))
    },
    async setConfirming(token, userId) {
      await transaction(() => statements.confirming.run(userId ?? null, token, botId))
    },
    decide: async (token, decision) =>
      transaction(() => {
        const isFirst = statements.decide.run(JSON.stringify(decision), token, botId).changes > 0
        return { decision: get(token)?.decision ?? decision, isFirst }
      }),
    async setDelivered(token) {
      await transaction(() => statements.delivered.run(now(), token, botId))
    },
    async setOver(token) {
      await transaction(() => statements.over.run(now(), token, botId))
    },
  }
}

function toAsk(row: Readonly<Record<string, unknown>>): AskRecord {
  const decision = row['decision_json']
  return {
    token: String(row['token']),
    chatId: Number(row['chat_id']),
    taskId: String(row['task_id']),
    callKey: String(row['call_key']),
    round: Number(row['round']),
    call: JSON.parse(String(row['call_json'])),
    expiresAt: numberOr(row['expires_at']),
    messageId: numberOr(row['message_id']),
    confirmingBy: numberOr(row['confirming_by']),
    decision: typeof decision === 'string' ? JSON.parse(decision) : undefined,
    isDelivered: row['delivered_at'] !== null,
    isOver: row['over_at'] !== null,
  }
}

function numberOr(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}
