import type { Effect } from './channel-ground.ts'

/** What pressing a button comes to. */
export interface Outcome {
  readonly say: string
  readonly isAlert?: boolean
  readonly after?: Effect
}
