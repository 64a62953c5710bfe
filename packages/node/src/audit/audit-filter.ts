import type { AuditKind } from './audit-entry.ts'
import type { CallOutcome, CallPhase } from './call-row.ts'

/** Which entries, or which calls; every field that is given must hold. */
export interface AuditFilter {
  readonly conversationId?: string
  readonly taskId?: string
  readonly toolName?: string
  /** Of entries: those that tell that a call has come to this phase. Of calls: those that are there. */
  readonly status?: CallPhase
  /** Of calls only: how they ended. */
  readonly outcome?: CallOutcome
  /** Of entries only. */
  readonly kind?: AuditKind
  /** Milliseconds since the epoch, itself included; of calls, when they were queued. */
  readonly since?: number
  /** Milliseconds since the epoch, itself not included. */
  readonly until?: number
  /** Somewhere in what the entry says, or in arguments, output and error of the call; a-z in any case. */
  readonly text?: string
}

/** A page of what was asked for: newest first. */
export interface AuditPage {
  /** Default 100, at most 1,000. */
  readonly limit?: number
  /** Only what is older than the entry, or call, of this `seq`. */
  readonly before?: number
}

/** Which calls to close. */
export type RunningCalls = Pick<AuditFilter, 'conversationId' | 'taskId' | 'toolName' | 'until'>
