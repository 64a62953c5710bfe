import type { Update } from 'grammy/types'
import type { BotClient } from './bot-client.ts'
import type { HealthNotes } from './telegram-health.ts'
import { TelegramError } from './telegram-error.ts'
import type { UpdateRecords } from './telegram-records.ts'
import { POLL_SECONDS } from './time-limits.ts'
import { backoffMs, type Clock } from './waiting.ts'

/** What the channel wants to hear of. */
export const ALLOWED_UPDATES = ['message', 'edited_message', 'callback_query'] as const

export interface PollingOptions {
  readonly client: BotClient
  readonly kept: UpdateRecords
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly health: HealthNotes
  readonly take: (updates: readonly Update[]) => void
  /** Whose updates are there, and cannot be kept for now; none once they can. */
  readonly onUnkept: (updates: readonly Update[]) => void
  /** Resolves when more can be taken. */
  readonly room: () => Promise<void>
  readonly report: (error: unknown) => void
}

/** After so many failures in a row people are told: most outages are over by then. */
const TOLD_AFTER = 4
/** Milliseconds after a failure in which it is not asked again. */
const LEAST_PAUSE_MS = 1_000

/**
 * Asks for updates until the signal aborts, and the client is stopped. Whatever fails, also a token that
 * is not known for a while, it asks again after a growing pause, and reports each kind of failure once.
 */
export async function poll(options: PollingOptions): Promise<void> {
  const { client, kept, clock, signal, health, take, onUnkept, room, report } = options
  let failures = 0
  /** As it was last known: what was kept is asked for no more, also while the store cannot say where that was. */
  let known: { readonly offset: number | undefined } | undefined
  const reported = new Set<string>()
  while (!signal.aborted) {
    let unkept: readonly Update[] = []
    try {
      const offset = await kept.nextOffset().catch((error: unknown) => {
        if (!known) throw error
        return known.offset
      })
      known = { offset }
      const updates = await client.make(
        (api) =>
          api.getUpdates({
            // After a failure it is soon known whether it is over.
            timeout: failures === 0 ? POLL_SECONDS : 0,
            allowed_updates: [...ALLOWED_UPDATES],
            ...(offset !== undefined && { offset }),
          }),
        { most: 1 },
      )
      // They are on disk, together with the offset, before they are asked for no more.
      unkept = updates
      const fresh = await kept.keep(updates, 'polling')
      unkept = []
      const last = updates.at(-1)
      if (last) known = { offset: last.update_id + 1 }
      if (failures > 0) onUnkept([])
      take(fresh)
      failures = 0
      reported.clear()
      health.polling('working')
      await room()
    } catch (error) {
      if (signal.aborted) return
      failures++
      if (failures >= TOLD_AFTER && unkept.length > 0) onUnkept(unkept)
      const kind = error instanceof TelegramError ? error.code : String(error)
      if (!reported.has(kind)) report(error)
      reported.add(kind)
      health.polling('failing')
      const pause = Math.max(LEAST_PAUSE_MS, backoffMs(failures))
      await clock.wait(pause, signal).catch(() => undefined)
    }
  }
}
