import type { PauseReason, TurnOutcome } from './state.ts'
import type { TurnRequestOptions } from './transport/transport.ts'

/** What `Promise.withResolvers` makes, by no name of a newer library: who uses the types may have an older one. */
interface Deferred<VALUE> {
  readonly promise: Promise<VALUE>
  resolve(value: VALUE | PromiseLike<VALUE>): void
  reject(reason?: unknown): void
}

/** What the requests of a turn are made with. */
export interface RunInit {
  readonly trigger: 'submit-message' | 'regenerate-message'
  readonly extras: TurnRequestOptions
  /** The message that is answered anew or was replaced; sent with the first request. */
  readonly messageId?: string
}

/**
 * The token of one turn: whoever holds it may write only while it is alive, and checks that after
 * every await. Nothing late writes into a later turn.
 */
export interface Run extends RunInit {
  readonly turnId: string
  readonly controller: AbortController
  isAlive: boolean
  /** A loop is at work on this turn; at a pause none is. */
  isLooping: boolean
  /** A fact changed since the loop last looked. */
  isWoken: boolean
  /** A hook or command asked for another step. */
  isNextRequested: boolean
  /** The step that a plugin took back. */
  refusedStep?: number
  /** A hook or command asked for a pause before the next step. */
  pauseRequested: PauseReason | undefined
  /** Resolves at the pause or end that follows; another promise after each pause. */
  outcome: Deferred<TurnOutcome>
  /** Resolves with the next wake-up; another promise after each. */
  wakeUp: Deferred<void>
}

export function createRun(turnId: string, init: RunInit): Run {
  return {
    ...init,
    turnId,
    controller: new AbortController(),
    isAlive: true,
    isLooping: false,
    isWoken: false,
    isNextRequested: false,
    pauseRequested: undefined,
    outcome: Promise.withResolvers(),
    wakeUp: Promise.withResolvers(),
  }
}

/** Tells the loop to look again, and whoever waits for a change. */
export function wake(run: Run): void {
  run.isWoken = true
  rouse(run)
}

/** Tells whoever waits for a change, and nobody else. */
export function rouse(run: Run): void {
  run.wakeUp.resolve()
  run.wakeUp = Promise.withResolvers()
}
