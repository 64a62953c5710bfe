import type { TurnNotice } from '@assent/engine'
import type { UIMessage } from 'ai'
import type { Claim } from './inbox.ts'

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
  /** One that is to go out; `'sent'` when it did. */
  find(taskId: string): Promise<RecordedReply | 'sent' | undefined>
  /** Notes what is to go out. The first one stands, and is what this resolves to. */
  record(claim: ReplyClaim, reply: RecordedReply): Promise<RecordedReply | 'sent' | undefined>
  /**
   * Notes that it is going out now: `'again'` when it may have gone out before. `undefined` also when
   * it was sent, or never recorded.
   */
  begin(claim: ReplyClaim): Promise<'first' | 'again' | undefined>
  /** It surely did not go out, this time; `false` also when it was not going out. */
  undo(claim: ReplyClaim): Promise<boolean>
  /** It went out. What it said need not be kept: it is in the conversation. */
  sent(claim: ReplyClaim): Promise<boolean>
}

/** Who has the task, and since which claim. */
export type ReplyClaim = Pick<Claim, 'epoch'> & { readonly task: Pick<Claim['task'], 'id'> }
