import type { AskRecord, BotRecords } from '@assent/telegram'
import type { AssentPostgres, Row } from '../open-postgres.ts'

const COLUMNS = `token, chat_id::float8 as chat_id, task_id, call_key, round, call::text as call,
  expires_at::float8 as expires_at, message_id::float8 as message_id,
  confirming_by::float8 as confirming_by, decision::text as decision,
  delivered_at is not null as is_delivered, over_at is not null as is_over`

export function askRecords({ query }: AssentPostgres, botId: number): BotRecords['asks'] {
  const list = async (where: string, ...values: readonly unknown[]): Promise<AskRecord[]> => {
    const rows = await query(
      `select ${COLUMNS} from assent.telegram_asks a where bot_id = $1 and ${where}
       order by a.asked_at, a.round`,
      [botId, ...values],
    )
    return rows.map(toAsk)
  }
  const get = async (token: string): Promise<AskRecord | undefined> =>
    (await list('token = $2', token))[0]
  const set = async (
    sql: string,
    token: string,
    ...values: readonly unknown[]
  ): Promise<boolean> => {
    const changed = `update assent.telegram_asks set ${sql} returning 1`
    return (await query(changed, [botId, token, ...values])).length > 0
  }
  const IT = 'where bot_id = $1 and token = $2'

  return {
    async open({ token, chatId, taskId, callKey, round, call, askedAt, expiresAt }) {
      const added = await query(
        `insert into assent.telegram_asks
         (bot_id, token, chat_id, task_id, call_key, round, call, asked_at, expires_at)
         with message as (
           select chat_id from assent.telegram_messages where bot_id = $1 and task_id = $4 for share
         )
         select $1, $2, $3, $4, $5, $6, $7::json, $8, $9
         where not exists (select from message where chat_id = 0)
         on conflict do nothing returning 1`,
        [botId, token, chatId, taskId, callKey, round, JSON.stringify(call), askedAt, expiresAt],
      )
      return added.length > 0
    },
    get,
    byMessage: async (chatId, messageId) =>
      (await list('a.chat_id = $2 and a.message_id = $3', chatId, messageId))[0],
    ofTask: (taskId) => list('task_id = $2', taskId),
    notOver: () => list('over_at is null'),
    async setMessage(token, messageId) {
      await set(`message_id = $3 ${IT}`, token, messageId)
    },
    async setConfirming(token, userId) {
      await set(`confirming_by = $3 ${IT}`, token, userId ?? null)
    },
    async decide(token, decision) {
      const json = JSON.stringify(decision)
      const isFirst = await set(`decision = $3::json ${IT} and decision is null`, token, json)
      // In a statement of its own, which sees what was decided meanwhile.
      return { decision: (await get(token))?.decision ?? decision, isFirst }
    },
    async setDelivered(token) {
      await set(`delivered_at = assent.clock_v1() ${IT}`, token)
    },
    async setOver(token) {
      await set(`over_at = assent.clock_v1() ${IT}`, token)
    },
  }
}

function toAsk(row: Row): AskRecord {
  const decision = row['decision']
  return {
    token: String(row['token']),
    chatId: Number(row['chat_id']),
    taskId: String(row['task_id']),
    callKey: String(row['call_key']),
    round: Number(row['round']),
    call: JSON.parse(String(row['call'])),
    expiresAt: numberOr(row['expires_at']),
    messageId: numberOr(row['message_id']),
    confirmingBy: numberOr(row['confirming_by']),
    decision: typeof decision === 'string' ? JSON.parse(decision) : undefined,
    isDelivered: row['is_delivered'] === true,
    isOver: row['is_over'] === true,
  }
}

function numberOr(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}
