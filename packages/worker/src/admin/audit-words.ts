import type { AuditKind, CallOutcome, CallPhase } from '@assent/node'

/** All kinds of entries. */
export const AUDIT_KINDS: readonly AuditKind[] = [
  'call',
  'decision',
  'policy',
  'refusal',
  'task',
  'erasure',
]

/** All ways in which calls end. */
export const CALL_OUTCOMES: readonly CallOutcome[] = [
  'success',
  'error',
  'timeout',
  'denied',
  'cancelled',
  'interrupted',
  'dropped',
]

/** All phases of calls, in the order in which a call comes to them. */
export const CALL_PHASES: readonly CallPhase[] = ['queued', 'running', 'done', 'failed']
