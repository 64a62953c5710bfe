import { STREAMS_OF_CALLS } from './streams-of-calls.ts'
import { STREAMS_OF_MESSAGES } from './streams-of-messages.ts'
import type { StreamByHand } from './stream-by-hand.ts'

/** Streams that no generator makes often enough, each about one thing. */
export const STREAMS_BY_HAND: readonly StreamByHand[] = [
  ...STREAMS_OF_MESSAGES,
  ...STREAMS_OF_CALLS,
]
