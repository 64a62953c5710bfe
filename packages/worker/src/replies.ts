import type { TurnNotice } from '@assent/engine'
import type { UIMessage } from 'ai'
import type { Claim, TaskError } from './inbox.ts'

/** The answer to a task, as it is to go out. */
export interface RecordedReply {
  /** All that the model said in the turn; empty when it said nothing. */
  readonly text: string
  /** The last message of the turn; none when the model wrote none. */
  readonly message: UIMessage | undefined
  /** Why the turn ended, when it was for another reason than an answer. */
  readonly notice?: TurnNotice | undefined
}

/**
 * What became of the replies of tasks, as a small contract: noted before it happens, so that after a
 * crash it is known which may have gone out. What resolves outlasts the process; that a reply goes out
 * also outlasts a loss of power.
 *
 * Each change names the claim of who makes it. One by a claim that is older than the last that changed
 * anything is refused: it resolves to `undefined` or `false`, and nothing has changed.
 */
export interface Replies {
  /** One that is to go out; `'sent'` when it did, `'waiting'` when `next` has it or it was given up. */
  find(taskId: string): Promise<FoundReply | undefined>
  /** Notes what is to go out. The first one stands, and is what this resolves to. */
  record(claim: ReplyClaim, reply: RecordedReply): Promise<FoundReply | undefined>
  /**
   * Notes that it is going out now: `'again'` when it may have gone out before. `'later'` when it waits,
   * or others of its conversation do: then it waits behind those, and `next` has it. `undefined` also
   * when it was sent, or never recorded.
   */
  begin(claim: ReplyClaim): Promise<'first' | 'again' | 'later' | undefined>
  /** It surely did not go out, this time; `false` also when it was not going out. */
  undo(claim: ReplyClaim): Promise<boolean>
  /** It went out. What it said need not be kept: it is in the conversation. */
  sent(claim: ReplyClaim): Promise<boolean>
  /**
   * It did not go out, as far as is known: it waits for so many milliseconds, by the clock of the store, and
   * holds back those of its conversation that come after it. `undefined` gives it up. `false` also when
   * it was sent, or erased.
   */
  fail(claim: ReplyClaim, failure: FailedReply, delayMs: number | undefined): Promise<boolean>
  /**
   * The next one that waits and is due, the first of its conversation. It is handed out to one at a
   * time, again after `leaseMs` when nothing was said of it.
   */
  next(leaseMs: number): Promise<Delivery | undefined>
  /** Has one that was handed out for so many milliseconds from now on; `false` when it is another's by now. */
  extend(delivery: ReplyClaim, leaseMs: number): Promise<boolean>
  /** Those that wait, and those that were given up and whose tasks are still kept: oldest first. */
  undelivered(limit?: number): Promise<readonly UndeliveredReply[]>
}

/** A reply, or what became of it. */
export type FoundReply = RecordedReply | 'sent' | 'waiting'

/** Who has the reply, and since which claim. */
export interface ReplyClaim extends Pick<Claim, 'epoch'> {
  readonly task: Pick<Claim['task'], 'id' | 'conversationId'>
}

/** Why a reply did not go out. */
export interface FailedReply {
  readonly error: TaskError
  /** It surely did not go out, this time or before. */
  readonly isUnsent: boolean
}

/** A reply that waited, with the claim on it. */
export interface Delivery extends ReplyClaim {
  readonly reply: RecordedReply
  /** It may have gone out before. */
  readonly mayBeRepeated: boolean
  /** How often it failed. */
  readonly failures: number
  /** Since it was to go out first, by the clock of the store. */
  readonly waitedMs: number
}

/** A reply that did not go out so far. Times are milliseconds since the epoch, by the clock of the store. */
export interface UndeliveredReply {
  readonly taskId: string
  readonly conversationId: string
  readonly waitingSince: number
  /** When it is tried again; `undefined` when it was given up. */
  readonly dueAt: number | undefined
  readonly failures: number
  /** Of the last time; none when it only waits behind others. */
  readonly error: TaskError | undefined
}
