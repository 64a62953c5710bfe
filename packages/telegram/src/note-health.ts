import type { HealthRecords } from '@assent/worker'
import type { BotClient } from './bot-client.ts'
import { healthNotes, type HealthNotes, type TelegramHealth } from './telegram-health.ts'
import type { Clock } from './waiting.ts'

export interface ChannelHealthOptions {
  readonly botId: number
  readonly clock: Clock
  readonly sending: BotClient['sending']
  readonly onHealth: ((health: TelegramHealth) => void) | undefined
  readonly records: HealthRecords | undefined
  /** Is given all that goes on by itself. */
  readonly track: (work: Promise<unknown>) => void
  readonly report: (error: unknown) => void
}

/** How a channel is, told to those who listen, and noted for those who look from another process. */
export interface ChannelHealthNotes extends HealthNotes {
  /** Notes it every minute from now on, until the signal aborts. */
  follow(signal: AbortSignal): void
}

/** Whoever looks takes a channel that is silent for three times this for gone. */
const EVERY_MS = 60_000

export function channelHealth(options: ChannelHealthOptions): ChannelHealthNotes {
  const { botId, clock, sending, onHealth, records, track, report } = options

  async function note({ polling, since, lastSuccessAt, lastError }: TelegramHealth): Promise<void> {
    await records?.note(`telegram:${botId}`, {
      state: polling,
      isWell: polling === 'working' || polling === 'webhook',
      since,
      lastSuccessAt,
      lastError: lastError && `${lastError.code}: ${lastError.message}`,
    })
  }

  async function noteOnAndOn(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await note(notes.read()).catch(report)
      await clock.wait(EVERY_MS, signal).catch(() => undefined)
    }
  }

  const notes = healthNotes({
    now: () => Math.floor(clock.now()),
    sending,
    onHealth(is) {
      try {
        onHealth?.(is)
      } catch (thrown) {
        report(thrown)
      }
      if (records) track(note(is).catch(report))
    },
  })
  return {
    ...notes,
    follow: (signal) => void (records && track(noteOnAndOn(signal))),
  }
}
