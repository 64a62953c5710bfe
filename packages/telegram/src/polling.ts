import type { Update } from 'grammy/types'
import type { BotClient } from './bot-client.ts'
import { TelegramError } from './telegram-error.ts'
import type { UpdateRecords } from './telegram-records.ts'
import type { Clock } from './waiting.ts'

/** What the channel wants to hear of. */
export const ALLOWED_UPDATES = ['message', 'callback_query'] as const

export interface PollingOptions {
  readonly client: BotClient
  readonly kept: UpdateRecords
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly take: (updates: readonly Update[]) => void
  /** Resolves when more can be taken. */
  readonly room: () => Promise<void>
  readonly report: (error: unknown) => void
}

/** Seconds that Telegram waits for something to tell. */
const POLL_SECONDS = 30
/** Milliseconds until it is asked again after a failure. */
const PAUSE_MS = 5_000

/**
 * Asks for updates until the signal aborts, and the client is stopped. Rejects when the token is not
 * known any more.
 */
export async function poll(options: PollingOptions): Promise<void> {
  const { client, kept, clock, signal, take, room, report } = options
  while (!signal.aborted) {
    try {
      const offset = await kept.nextOffset()
      const updates = await client.make((api) =>
        api.getUpdates({
          timeout: POLL_SECONDS,
          allowed_updates: [...ALLOWED_UPDATES],
          ...(offset !== undefined && { offset }),
        }),
      )
      // They are on disk, together with the offset, before they are asked for no more.
      take(await kept.keep(updates, 'polling'))
      await room()
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof TelegramError && error.code === 'unauthorized') throw error
      report(error)
      await clock.wait(PAUSE_MS, signal).catch(() => undefined)
    }
  }
}
