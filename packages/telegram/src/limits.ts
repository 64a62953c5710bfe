import type { Inbox, TaskState } from '@assent/worker'
import { TelegramError } from './telegram-error.ts'
import type { MessageRecords } from './telegram-records.ts'
import type { TelegramSettings } from './telegram-settings.ts'
import type { TelegramWho } from './permissions.ts'

/** How many messages are taken in an hour and in a day. */
export interface Quota {
  readonly hour?: number
  readonly day?: number
}

/** Quotas of every user and of every chat. Default: none. */
export interface Quotas {
  readonly perUser?: Quota
  readonly perChat?: Quota
}

/** Why a message is not taken, and in how many milliseconds one would be. */
export type Refusal =
  | { readonly kind: 'waiting'; readonly most: number; readonly retryMs: number }
  | {
      readonly kind: 'quota'
      readonly most: number
      readonly per: 'hour' | 'day'
      readonly retryMs: number
    }

export interface LimitsOptions {
  readonly inbox: Inbox
  readonly messages: MessageRecords
  readonly quotas: Quotas
  readonly settings: TelegramSettings
  readonly now: () => number
}

const OVER: ReadonlySet<TaskState> = new Set(['done', 'dead', 'failed'])
const PERIODS = { hour: 3_600_000, day: 86_400_000 } as const

/** Whether one more message is taken from somebody; `undefined` when it is. */
export function limits({ inbox, messages, quotas, settings, now }: LimitsOptions) {
  assertQuotas(quotas)
  const windowMs = settings.pendingWindowSeconds * 1_000
  const most = settings.pendingMaxMessages

  async function tooManyWaiting(chatId: number): Promise<Refusal | undefined> {
    const since = now() - windowMs
    const open = await messages.openInChat(chatId, since)
    if (open.length < most) return undefined
    // Only now it matters which of them are over.
    for (const { taskId } of open) {
      const task = await inbox.get(taskId)
      // The end of a dead one is told first, and then noted.
      if (task?.state === 'done' || task?.state === 'failed') await messages.end(taskId)
    }
    const waiting: number[] = []
    for (const { taskId, takenAt } of await messages.openInChat(chatId, since)) {
      const task = await inbox.get(taskId)
      if (!task || !OVER.has(task.state)) waiting.push(takenAt)
    }
    const first = waiting.at(-most)
    return first === undefined
      ? undefined
      : { kind: 'waiting', most, retryMs: first + windowMs - now() }
  }

  async function quotaUsed({ userId, chatId }: TelegramWho): Promise<Refusal | undefined> {
    for (const [by, id, quota = {}] of [
      ['user', userId, quotas.perUser],
      ['chat', chatId, quotas.perChat],
    ] as const) {
      for (const per of ['hour', 'day'] as const) {
        const most = quota[per]
        if (most === undefined) continue
        const taken = await messages.takenSince(by, id, now() - PERIODS[per])
        const first = taken.at(-most)
        if (first !== undefined) {
          return { kind: 'quota', most, per, retryMs: first + PERIODS[per] - now() }
        }
      }
    }
    return undefined
  }

  return async (who: TelegramWho): Promise<Refusal | undefined> =>
    (await quotaUsed(who)) ?? (await tooManyWaiting(who.chatId))
}

function assertQuotas({ perUser = {}, perChat = {} }: Quotas): void {
  const given = [perUser.hour, perUser.day, perChat.hour, perChat.day]
  if (given.every((most) => most === undefined || (Number.isSafeInteger(most) && most >= 1))) return
  throw new TelegramError('invalid_option', 'A quota is a whole number of messages of at least 1.')
}
