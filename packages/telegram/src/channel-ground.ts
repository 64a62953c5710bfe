import type { Inbox } from '@assent/worker'
import type { BotClient } from './bot-client.ts'
import type { KeptAsks } from './kept-asks.ts'
import type { IsAllowed } from './permissions.ts'
import type { Standing } from './standing.ts'
import type { MessageRecords, PlaceRecords } from './telegram-records.ts'
import type { Clock } from './waiting.ts'
import type { TelegramWords } from './words.ts'

/** What all parts of a channel stand on. */
export interface ChannelGround {
  readonly botId: number
  readonly inbox: Inbox
  readonly client: BotClient
  readonly clock: Clock
  readonly words: TelegramWords
  readonly isAllowed: IsAllowed
  readonly messages: MessageRecords
  readonly places: PlaceRecords
  readonly asks: KeptAsks
  /** `undefined` where the standing permissions cannot be read. */
  readonly standing: Standing | undefined
  /** Tells of a failure that nobody waits for. */
  report(error: unknown): void
}

/**
 * What is left to be done on Telegram once everything that an update means is on disk. When the channel
 * stops in between, the update is looked at again: then it finds that done.
 */
export type Effect = () => Promise<unknown>
