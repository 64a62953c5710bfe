import type { Erased, ErasureSubject } from '@assent/node'
import type { BotRecords, TelegramRecords } from '../../telegram-records.ts'

/** Records to be tested: nothing is in them. */
export interface TestedRecords {
  readonly records: TelegramRecords
  /** The same as another process has them; may be the same when there is but one. */
  readonly other: TelegramRecords
  /** Lets their clock go on, of which nobody else moves a hand. */
  advance(ms: number): void | Promise<void>
  /** That of the stores of their backend. */
  erase(subject: ErasureSubject): Promise<Erased>
}

/** One test of the conformance suite. */
export interface RecordsTest {
  /** What they do, as a sentence. */
  readonly name: string
  /**
   * Resolves when they do it; rejects with an error that says what they did instead.
   *
   * @param make records that nobody else uses; called once
   */
  run(make: () => Promise<TestedRecords>): Promise<void>
}

export interface OfBots {
  /** Those of one bot. */
  readonly one: BotRecords
  /** The same in another process. */
  readonly same: BotRecords
  /** Those of another bot. */
  readonly stranger: BotRecords
  readonly advance: TestedRecords['advance']
  readonly erase: TestedRecords['erase']
}

export const DAY_MS = 24 * 3_600_000
/** No 32 bits hold it. */
export const GROUP = -1_002_003_004_005

export function recordsTest(name: string, test: (of: OfBots) => Promise<void>): RecordsTest {
  return {
    name,
    async run(make) {
      const { records, other, advance, erase } = await make()
      const [one, same] = [records.ofBot(7_000_000_001), other.ofBot(7_000_000_001)]
      await test({ one, same, stranger: other.ofBot(8), advance, erase })
    },
  }
}
