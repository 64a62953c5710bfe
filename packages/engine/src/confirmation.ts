import type { ToolCallRef } from './message/tool-part.ts'

/** What a person decides about a tool call. */
export type ConfirmationOutcome = 'yes' | 'yes_always' | 'no'

/** What every record in the history of confirmations says. */
export interface CallRecord extends ToolCallRef {
  readonly id: string
  readonly conversationId: string
  readonly toolName: string
  /** Of tool name and input: SHA-256, in hex, of their canonical JSON (RFC 8785). */
  readonly fingerprint: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** One decision of a person on one tool call. */
export interface ToolCallConfirmation extends CallRecord {
  readonly outcome: ConfirmationOutcome
  /** Reaches the model with a denial. */
  readonly reason?: string
  /** What a `yes_always` covers beside this call. */
  readonly scope?: ApprovalScope
  /** The input that was approved in place of the one that the model gave. */
  readonly editedInput?: unknown
  /** With `yes_always`: the tool's schema at that time, SHA-256 in hex; none when it cannot be told. */
  readonly schema?: string
  /** The call may run although it cannot be stored that it starts. */
  readonly withoutRecord?: true
  /** The id of the `yes_always` that this takes back; the call is the one that it was given on. */
  readonly revokes?: string
}

/**
 * Something happened to a standing policy: a call used it, it became void or was suspended, or its end came. Or
 * the server of a call did not take a decision, which made none then.
 */
export interface PolicyEvent extends CallRecord {
  /** The id of the confirmation that made the policy; with `refused`, of any decision. */
  readonly policyId: string
  /**
   * - `used` the call of this record was approved by it
   * - `call-failed` the call that it was given on failed
   * - `schema-changed` the tool takes another input now
   * - `expired` its end was seen to have come, so that a clock that goes back does not revive it
   * - `suspended` it approves nothing until a person lets it go on: everything was stopped
   * - `resumed` a person lets it go on
   * - `refused` the server did not take the decision: nothing was run for it, and its call waited on
   */
  readonly event:
    | 'used'
    | 'call-failed'
    | 'schema-changed'
    | 'expired'
    | 'suspended'
    | 'resumed'
    | 'refused'
  /** With `resumed`: the id of the record that it ends. */
  readonly suspension?: string
}

/** One record of the append-only history of confirmations. Serialisable. */
export type ConfirmationRecord = ToolCallConfirmation | PolicyEvent

/** What a `yes_always` covers. */
export interface ApprovalScope {
  /**
   * Which calls: those with exactly this input (default), those whose fields match patterns, or all
   * of the tool. A call of risk `destroy` is covered by its exact input only.
   */
  readonly covers?: 'tool' | 'input' | FieldPatterns
  /** Default: this conversation. */
  readonly where?: 'conversation' | 'everywhere'
  /** Milliseconds since the epoch. Default: no end; of a scope that says nothing, 8 hours later. */
  readonly until?: number
  /** How many further calls, at least 1. Default: no bound. */
  readonly uses?: number
}

/**
 * Patterns for fields of an input, by JSON Pointer (RFC 6901), such as `/path`. Every one must
 * match; a field that is not named may hold anything.
 */
export type FieldPatterns = Readonly<Record<string, FieldPattern>>

/**
 * What a field must be like.
 *
 * - `prefix` a text that begins so and ends there or goes on at a boundary: `/` or a space
 * - `glob` a text of this form: `*` within a path segment or token, `**` across them
 * - `min`, `max` a number within these bounds, which count in
 * - `oneOf` one of these values
 *
 * What a prefix or wildcard leaves open must be harmless: without `..`, control or shell characters.
 */
export type FieldPattern =
  | { readonly prefix: string }
  | { readonly glob: string }
  | { readonly min?: number; readonly max?: number }
  | { readonly oneOf: readonly (string | number | boolean | null)[] }

/** Whether a record is a decision on a call, and not about a policy. */
export function isDecision(record: ConfirmationRecord): record is ToolCallConfirmation {
  return 'outcome' in record && record.revokes === undefined
}
