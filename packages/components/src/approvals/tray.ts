import type { WaitingCallEntry } from '@assent/vue'
import type { ComputedRef } from 'vue'
import type { AskBoard } from '../context/ask-board.ts'
import type { Batch } from './batch.ts'
import type { Waiting } from './use-waiting.ts'

/** What the panel of the tray shows. */
export type TrayView = 'rows' | 'approving' | 'denying'

/** What the tray and its panel work with. */
export interface Tray extends Waiting {
  readonly board: AskBoard
  /** What a yes to all covers now, and what not. */
  readonly batch: ComputedRef<Batch>
  /** Brings the card of a call into view and gives it the focus. */
  jump(call: WaitingCallEntry): void
}
