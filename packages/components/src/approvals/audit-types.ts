import type { ApprovalScope, ConfirmationRecord, ToolCallRef, ToolCallStatus } from '@assent/engine'
import type { UseMessageReturn } from '@assent/vue'
import type { UIMessage } from 'ai'
import type { AuditOutcomeName } from '../locale/approval-words.ts'

/**
 * What was decided.
 *
 * - `approved`, `denied` one call
 * - `always` one call, and further ones with it
 * - `answered` an output was given in place of the tool's
 * - `revoked` a standing permission was taken back
 * - `suspended`, `resumed` everything was stopped, and a person let a standing permission go on
 * - `voided` a standing permission ended by itself: its call failed, its tool takes another input, its end came
 */
export type AuditOutcome = AuditOutcomeName

/** One decision on record. Serialisable; times are milliseconds since the epoch. */
export interface TrailEntry {
  /** That of the confirmation, where there is one. */
  readonly id: string
  readonly at: number | undefined
  readonly outcome: AuditOutcome
  /** A person, a rule of the app or server, or a standing permission. */
  readonly by: 'person' | 'rule' | 'policy'
  readonly conversationId: string | undefined
  readonly call: ToolCallRef
  readonly toolName: string
  /** What the call did, in a sentence, where that is known. */
  readonly summary: string | undefined
  readonly reason: string | undefined
  /** What an `always` covers. */
  readonly scope: ApprovalScope | undefined
  /** The permission that this rests on, or is about: the id of the confirmation that made it. */
  readonly policyId: string | undefined
  /** When that permission was given. */
  readonly policyAt: number | undefined
  /** When what was allowed here was revoked. */
  readonly revokedAt: number | undefined
  /** The server of the call did not take it: nothing was run for it, and the call waited on. */
  readonly isRefused?: boolean
  /** What ran, or would have run. `undefined` where the call is not known any more. */
  readonly input: unknown
  /** What the model had asked for, when a person approved another input in its place. */
  readonly originalInput: unknown
  /** How the call stands. */
  readonly status: ToolCallStatus | undefined
  /** Why it failed. */
  readonly error: string | undefined
  readonly startedAt: number | undefined
  readonly endedAt: number | undefined
}

/** What a record of decisions is read from. */
export interface AuditSources {
  readonly confirmations: readonly ConfirmationRecord[]
  /** For sentences, inputs and results, and for decisions that rules made. Default: none. */
  readonly messages?: readonly UIMessage[]
  /** Which conversation the messages belong to. Default: that of any record of their calls. */
  readonly conversationId?: string | undefined
}

/** Props of `AsAuditTrail`. */
export interface AsAuditTrailProps {
  /** The conversation. Default: that of the `AsChat` above, else the one given to `provideMessage`. */
  chat?: UseMessageReturn
  /** The decisions, for use without a conversation, newest first; from `readAuditEntries`. */
  entries?: readonly TrailEntry[]
  /** Who decided, where it was a person. Default: "you". */
  nameOf?: (entry: TrailEntry) => string | undefined
  /** Name of the files that are exported, without their ending. Default `decisions`. */
  fileName?: string
  /** Listener of `show-call`; without one no call can be gone to. */
  onShowCall?: (call: ToolCallRef & { readonly conversationId: string | undefined }) => unknown
}
