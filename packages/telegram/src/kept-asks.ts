import { randomBytes } from 'node:crypto'
import { readTaskCall, type TaskCall } from '@assent/worker'
import type { JSONValue } from 'ai'
import type { AskRecord, AskRecords, NewAskRecord } from './telegram-records.ts'

/** A question to a person about one call. Times are milliseconds since the epoch. */
export interface KeptAsk extends Omit<AskRecord, 'call'> {
  readonly call: TaskCall
}

/** A question to be asked. */
export interface NewAsk extends Omit<NewAskRecord, 'call' | 'callKey' | 'token'> {
  readonly call: TaskCall
}

/** What people were asked about calls, and what they decided. */
export interface KeptAsks extends Omit<
  AskRecords,
  'open' | 'get' | 'byMessage' | 'ofTask' | 'notOver'
> {
  /** Notes a question before it is sent; `undefined` when this round of it is there already. */
  open(ask: NewAsk): Promise<KeptAsk | undefined>
  get(token: string): Promise<KeptAsk | undefined>
  byMessage(chatId: number, messageId: number): Promise<KeptAsk | undefined>
  ofTask(taskId: string): Promise<KeptAsk[]>
  notOver(): Promise<KeptAsk[]>
}

/** By what a call is told from all others of its task. */
export function callKeyOf({ messageId, step, toolCallId }: TaskCall): string {
  return JSON.stringify([messageId, step, toolCallId])
}

/** The asks of a bot, with the calls that they are about. */
export function keptAsks(records: AskRecords): KeptAsks {
  const get = async (token: string): Promise<KeptAsk | undefined> => {
    const ask = await records.get(token)
    return ask && read(ask)
  }
  return {
    ...records,
    async open({ call, ...ask }) {
      const token = randomBytes(16).toString('base64url')
      const json: JSONValue = JSON.parse(JSON.stringify(call))
      const isNew = await records.open({ ...ask, token, callKey: callKeyOf(call), call: json })
      return isNew ? get(token) : undefined
    },
    get,
    async byMessage(chatId, messageId) {
      const ask = await records.byMessage(chatId, messageId)
      return ask && read(ask)
    },
    ofTask: async (taskId) => (await records.ofTask(taskId)).map(read),
    notOver: async () => (await records.notOver()).map(read),
  }
}

function read(ask: AskRecord): KeptAsk {
  return { ...ask, call: readTaskCall(ask.call) }
}
