import type { Message, Update } from 'grammy/types'
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
/** How long it is tried to get through to Telegram. */
const DAY_MS = 24 * 3_600_000
/** Updates that are under way before no more are asked for. */
const MOST_UNDER_WAY = 200

/** Messages of an album come one after the other, and nothing says which is the last one. */
const ALBUM_MS = 1_000

export function lanes({ intake, clock, signal, close, report, track }: LanesOptions): Lanes {
  /** The last update of each chat; settles when it is taken in, and never rejects. */
  const lastOf = new Map<number, Promise<void>>()
  /** Those that are put together, by chat and album. */
  const albums = new Map<string, Update[]>()
  let underWay = 0
  let waiting: PromiseWithResolvers<void> | undefined

  async function takeIn(update: Update, album: readonly Message[]): Promise<Effect[]> {
    const isInTime = withinADay()
    for (let attempt = 1; ; attempt++) {
      signal.throwIfAborted()
      try {
        return await intake.handle(update, album)
      } catch (error) {
        if (isStopped(error)) throw error
        report(error)
        const isToWait = isPassing(error) ? isInTime() : attempt < MAX_ATTEMPTS
        if (!isToWait) return intake.giveUp(update)
        await clock.wait(backoffMs(attempt), signal)
      }
    }
  }

  /** What is to be done on Telegram holds no other update up. */
  async function finish(updates: readonly Update[], effects: readonly Effect[]): Promise<void> {
    for (const effect of effects) {
      try {
        await untilThrough(effect)
      } catch (error) {
        // It is looked at again by the next start.
        if (isStopped(error) || signal.aborted) return
        report(error)
      }
    }
    for (const { update_id: id } of updates) await close(id)
  }

  /** What cannot be told now is told later. */
  async function untilThrough(effect: Effect): Promise<void> {
    const isInTime = withinADay()
    for (let attempt = 1; ; attempt++) {
      try {
        await effect()
        return
      } catch (error) {
        if (isStopped(error) || !isPassing(error) || !isInTime()) throw error
        if (attempt === 1) report(error)
        await clock.wait(error.retryAfterMs ?? backoffMs(attempt), signal)
      }
    }
  }

  function withinADay(): () => boolean {
    const startedAt = clock.now()
    return () => clock.now() - startedAt < DAY_MS
  }

  async function work(first: Update, album: readonly Update[]): Promise<void> {
    try {
      const messages = album.flatMap(({ message }) => message ?? [])
      const effects = await takeIn(first, messages)
      const finished = finish([first, ...album], effects)
      if (effects.length === 0) await finished
      else track(finished.catch(report))
    } catch (error) {
      if (!signal.aborted) report(error)
    }
  }

  /** Waits until no more of an album comes. */
  async function collect(key: string, rest: readonly Update[]): Promise<void> {
    for (let known = -1; known < rest.length;) {
      known = rest.length
      await clock.wait(ALBUM_MS, signal).catch(() => undefined)
    }
    albums.delete(key)
  }

  function leave(count: number): void {
    underWay -= count
    if (underWay >= MOST_UNDER_WAY) return
    waiting?.resolve()
    waiting = undefined
  }

  return {
    add(update) {
      const chatId = chatOf(update)
      const album = update.message?.media_group_id
      const key = album === undefined ? undefined : `${chatId}:${album}`
      underWay++
      const begun = key === undefined ? undefined : albums.get(key)
      if (begun) return void begun.push(update)
      const rest: Update[] = []
      if (key !== undefined) albums.set(key, rest)
      const before = Promise.all([lastOf.get(chatId), key && collect(key, rest)])
      const done = before
        .then(() => work(update, rest))
        .then(() => {
          leave(1 + rest.length)
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

/** Telegram may take it later. */
function isPassing(error: unknown): error is TelegramError {
  return error instanceof TelegramError && error.retryable
}

function isStopped(error: unknown): boolean {
  return error instanceof TelegramError && error.code === 'stopped'
}

function chatOf({ message, edited_message: edited, callback_query: query }: Update): number {
  return message?.chat.id ?? edited?.chat.id ?? query?.message?.chat.id ?? query?.from.id ?? 0
}
