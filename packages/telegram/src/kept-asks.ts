import { randomBytes } from 'node:crypto'
import type { AssentDatabase } from '@assent/node'
import { readTaskCall, type TaskCall } from '@assent/worker'

/** What a person decided about a call, and who it was. */
export interface KeptDecision {
  readonly outcome: 'yes' | 'yes_always' | 'no' | 'answered'
  /** With `yes_always`: which calls it covers. */
  readonly covers?: 'tool' | 'input'
  /** Why not, or the answer itself. */
  readonly words?: string
  /** `undefined` when nobody decided in time, or nobody could be asked. */
  readonly userId?: number
  readonly userName: string
  readonly at: number
}

/** A question to a person about one call. Times are milliseconds since the epoch. */
export interface KeptAsk {
  /** By chance; what its buttons are known by. */
  readonly token: string
  readonly chatId: number
  readonly taskId: string
  readonly callKey: string
  /** From 0; a call is asked about again when a decision could not be taken. */
  readonly round: number
  readonly call: TaskCall
  readonly expiresAt: number | undefined
  /** Of the message with the buttons; `undefined` until it is known to be there. */
  readonly messageId: number | undefined
  /** Who said yes to something that asks twice. */
  readonly confirmingBy: number | undefined
  readonly decision: KeptDecision | undefined
  readonly isDelivered: boolean
  /** Nothing is left to be done: its message says how it ended. */
  readonly isOver: boolean
}

export interface NewAsk {
  readonly chatId: number
  readonly taskId: string
  readonly call: TaskCall
  readonly round: number
  readonly askedAt: number
  readonly expiresAt: number | undefined
}

/** What people were asked, and what they decided. */
export interface KeptAsks {
  /** Notes a question before it is sent; `undefined` when this round of it is there already. */
  open(ask: NewAsk): KeptAsk | undefined
  get(token: string): KeptAsk | undefined
  byMessage(chatId: number, messageId: number): KeptAsk | undefined
  /** All rounds of all calls of a task, oldest first. */
  ofTask(taskId: string): KeptAsk[]
  /** Those with something left to be done, oldest first. */
  notOver(): KeptAsk[]
  setMessage(token: string, messageId: number): void
  setConfirming(token: string, userId: number | undefined): void
  /** The first decision wins: answers with the one that holds, and whether it is this one. */
  decide(token: string, decision: KeptDecision): { decision: KeptDecision; isFirst: boolean }
  setDelivered(token: string, at: number): void
  setOver(token: string, at: number): void
}

/** By what a call is told from all others of its task. */
export function callKeyOf({ messageId, step, toolCallId }: TaskCall): string {
  return JSON.stringify([messageId, step, toolCallId])
}

export function keptAsks({ sqlite, transaction }: AssentDatabase, botId: number): KeptAsks {
  const where = (condition: string): string =>
    `SELECT * FROM telegram_asks WHERE ${condition} ORDER BY asked_at, round`
  const set = (column: string) =>
    sqlite.prepare(`UPDATE telegram_asks SET ${column} = ? WHERE token = ?`)
  const statements = {
    open: sqlite.prepare(
      `INSERT OR IGNORE INTO telegram_asks
       (token, bot_id, chat_id, task_id, call_key, round, call_json, asked_at, expires_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    get: sqlite.prepare(where('token = ? AND bot_id = ?')),
    byMessage: sqlite.prepare(where('bot_id = ? AND chat_id = ? AND message_id = ?')),
    ofTask: sqlite.prepare(where('bot_id = ? AND task_id = ?')),
    notOver: sqlite.prepare(where('bot_id = ? AND over_at IS NULL')),
    decide: sqlite.prepare(
      'UPDATE telegram_asks SET decision_json = ? WHERE token = ? AND decision_json IS NULL',
    ),
    message: set('message_id'),
    confirming: set('confirming_by'),
    delivered: set('delivered_at'),
    over: set('over_at'),
  }
  const get = (token: string): KeptAsk | undefined => {
    const row = statements.get.get(token, botId)
    return row && toAsk(row)
  }
  return {
    open({ chatId, taskId, call, round, askedAt, expiresAt }) {
      const token = randomBytes(16).toString('base64url')
      const { changes } = statements.open.run(
        token,
        botId,
        chatId,
        taskId,
        callKeyOf(call),
        round,
        JSON.stringify(call),
        askedAt,
        expiresAt ?? null,
      )
      return changes > 0 ? get(token) : undefined
    },
    get,
    byMessage(chatId, messageId) {
      const row = statements.byMessage.get(botId, chatId, messageId)
      return row && toAsk(row)
    },
    ofTask: (taskId) => statements.ofTask.all(botId, taskId).map(toAsk),
    notOver: () => statements.notOver.all(botId).map(toAsk),
    setMessage: (token, messageId) => void statements.message.run(messageId, token),
    setConfirming: (token, userId) => void statements.confirming.run(userId ?? null, token),
    decide: (token, decision) =>
      transaction(() => {
        const isFirst = statements.decide.run(JSON.stringify(decision), token).changes > 0
        return { decision: get(token)?.decision ?? decision, isFirst }
      }),
    setDelivered: (token, at) => void statements.delivered.run(at, token),
    setOver: (token, at) => void statements.over.run(at, token),
  }
}

function toAsk(row: Readonly<Record<string, unknown>>): KeptAsk {
  const decision = row['decision_json']
  return {
    token: String(row['token']),
    chatId: Number(row['chat_id']),
    taskId: String(row['task_id']),
    callKey: String(row['call_key']),
    round: Number(row['round']),
    call: readTaskCall(JSON.parse(String(row['call_json']))),
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
