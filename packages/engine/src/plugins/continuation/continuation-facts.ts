import { isRecord } from '../../message/tool-part.ts'
import type { EngineState } from '../../state.ts'

/** Why a step is continued: the provider still runs its tools, or its answer was too long. */
export type ContinuationReason = 'pause_turn' | 'length'

/** What is known of the continuations of a turn; kept in its `customContext.continuation`. */
export interface ContinuationFacts {
  /** Continuations so far, the one included that is due or under way. */
  readonly count: number
  /** How many the turn may have. */
  readonly max: number
  /** The last step, when it ended unfinished. */
  readonly unfinished?: {
    readonly step: number
    readonly reason: ContinuationReason
    /** Whether it is continued: there was something left of the budget. */
    readonly isContinued: boolean
  }
}

/** How far a turn is whose model is not done yet, as in "still working, 2 of 10". */
export interface ContinuationProgress {
  /** The number of the continuation that is due or under way, from 1. */
  readonly count: number
  /** How many the turn may have. */
  readonly max: number
  readonly reason: ContinuationReason
}

type CustomContext = Readonly<Record<string, unknown>>

const KEY = 'continuation'

/** The change of the custom context that keeps these facts. */
export function keepFacts(facts: ContinuationFacts): CustomContext {
  return { [KEY]: facts }
}

/** The facts of a turn; none when it never had an unfinished step. They may come from a storage. */
export function factsIn(customContext: CustomContext): ContinuationFacts | undefined {
  const kept = customContext[KEY]
  if (!isRecord(kept) || !isCount(kept['count']) || !isCount(kept['max'])) return undefined
  const { count, max, unfinished } = kept
  if (!isRecord(unfinished)) return { count, max }
  const { step, reason, isContinued } = unfinished
  const isKnown = isCount(step) && isReason(reason) && typeof isContinued === 'boolean'
  return isKnown ? { count, max, unfinished: { step, reason, isContinued } } : { count, max }
}

/**
 * The continuation that a turn waits for or is being answered with, from the engine's state;
 * `undefined` when there is none. As long as there is one, the provider is still working.
 */
export function continuationProgress({
  requestState,
  turn,
}: Pick<EngineState, 'requestState' | 'turn'>): ContinuationProgress | undefined {
  if (!turn || (requestState !== 'processing' && requestState !== 'paused')) return undefined
  const { count, max, unfinished } = factsIn(turn.customContext) ?? {}
  if (!count || !max || !unfinished?.isContinued) return undefined
  // Due after its step, and under way in the next one.
  const isNow = turn.step === unfinished.step || turn.step === unfinished.step + 1
  return isNow ? { count, max, reason: unfinished.reason } : undefined
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

function isReason(value: unknown): value is ContinuationReason {
  return value === 'pause_turn' || value === 'length'
}
