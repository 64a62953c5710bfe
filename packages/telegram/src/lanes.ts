import type { Update } from 'grammy/types'
import type { Effect } from './channel-ground.ts'
import type { Intake } from './intake.ts'
import { TelegramError } from './telegram-error.ts'
import { backoffMs, type Clock } from './waiting.ts'

/** Has updates dealt with: those of one chat one after the other, those of different chats beside each other. */
export interface Lanes {
  add(update: Update): void
  /** Resolves when not too many are under way. */
  room(): Promise<void>
}

export interface LanesOptions {
  readonly intake: Intake
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Says that an update is dealt with. */
  readonly close: (updateId: number) => Promise<void>
  readonly report: (error: unknown) => void
  /** Is given all that goes on by itself. */
  readonly track: (work: Promise<unknown>) => void
}

/** Tries of an update that fails for reasons other than Telegram. */
const MAX_ATTEMPTS = 5
/** Updates that are under way before no more are asked for. */
const MOST_UNDER_WAY = 200

export function lanes({ intake, clock, signal, close, report, track }: LanesOptions): Lanes {
  /** The last update of each chat; settles when it is taken in, and never rejects. */
  const lastOf = new Map<number, Promise<void>>()
  let underWay = 0
  let waiting: PromiseWithResolvers<void> | undefined

  async function takeIn(update: Update): Promise<Effect[]> {
    for (let attempt = 1; ; attempt++) {
      signal.throwIfAborted()
      try {
        return await intake.handle(update)
      } catch (error) {
        if (isStopped(error)) throw error
        report(error)
        if (attempt >= MAX_ATTEMPTS) return intake.giveUp(update)
        await clock.wait(backoffMs(attempt), signal)
      }
    }
  }

  /** What is to be done on Telegram holds no other update up. */
  async function finish(update: Update, effects: readonly Effect[]): Promise<void> {
    for (const effect of effects) {
      try {
        await effect()
      } catch (error) {
        // It is looked at again by the next start.
        if (isStopped(error)) return
        report(error)
      }
    }
    await close(update.update_id)
  }

  async function work(update: Update): Promise<void> {
    try {
      const effects = await takeIn(update)
      if (effects.length === 0) await close(update.update_id)
      else track(finish(update, effects).catch(report))
    } catch (error) {
      if (!signal.aborted) report(error)
    }
  }

  return {
    add(update) {
      const chatId = chatOf(update)
      underWay++
      const done = (lastOf.get(chatId) ?? Promise.resolve())
        .then(() => work(update))
        .then(() => {
          underWay--
          if (underWay < MOST_UNDER_WAY) {
            waiting?.resolve()
            waiting = undefined
          }
          if (lastOf.get(chatId) === done) lastOf.delete(chatId)
        })
      lastOf.set(chatId, done)
      track(done)
    },
    async room() {
      if (underWay < MOST_UNDER_WAY) return
      waiting ??= Promise.withResolvers()
      await waiting.promise
    },
  }
}

function isStopped(error: unknown): boolean {
  return error instanceof TelegramError && error.code === 'stopped'
}

function chatOf({ message, callback_query: query }: Update): number {
  return message?.chat.id ?? query?.message?.chat.id ?? query?.from.id ?? 0
}
