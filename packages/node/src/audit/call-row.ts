import { hash } from 'node:crypto'
import { numberIn, textIn, type AuditPayload } from './audit-entry.ts'

/** How far a call has come. */
export type CallPhase = 'queued' | 'running' | 'done' | 'failed'

/**
 * How a call ended: `success` is that of `done`, all others of `failed`.
 * - `error` the tool failed; `timeout` its time was up
 * - `denied` by a person, a rule or the limit of steps; it did not run
 * - `cancelled` it was stopped, or its turn was, maybe before it ran
 * - `interrupted` its process ended, and whether it took effect is not known
 * - `dropped` its message was taken away before it ended
 */
export type CallOutcome =
  | 'success'
  | 'error'
  | 'timeout'
  | 'denied'
  | 'cancelled'
  | 'interrupted'
  | 'dropped'

/** Names a call. What is not known is left out, the same way every time. */
export interface CallName {
  readonly conversationId?: string | undefined
  readonly messageId?: string | undefined
  readonly step?: number | undefined
  readonly toolCallId: string
}

/** The id of a call in the audit: providers use theirs again. */
export function callIdOf({ conversationId, messageId, step, toolCallId }: CallName): string {
  const name = [conversationId, messageId, step, toolCallId].map((part) => part ?? null)
  // As JSON halves of characters differ, too.
  return hash('sha256', JSON.stringify(name), 'hex').slice(0, 32)
}

/** A row of `tool_calls`. Names are as they are stored. */
export interface CallRow {
  readonly seq: number
  readonly id: string
  readonly conversationId: string | null
  readonly taskId: string | null
  readonly messageId: string | null
  readonly step: number | null
  readonly toolCallId: string
  readonly toolName: string
  readonly argumentsJson: string
  readonly status: CallPhase
  readonly outcome: string | null
  readonly outputText: string | null
  readonly error: string | null
  readonly attempts: number
  readonly queuedAt: number
  readonly startedAt: number | null
  readonly finishedAt: number | null
}

/** What of an entry the row of its call is made of. */
export interface CallEntry {
  readonly seq: number
  readonly at: number
  readonly payload: AuditPayload
}

/** The row of a call after one more entry about it. */
export function withEntry(row: CallRow | undefined, { seq, at, payload }: CallEntry): CallRow {
  const text = (field: string) => textIn(payload, field) ?? null
  const given = payload['arguments']
  const status = phaseOf(text('phase'))
  const base = row ?? {
    seq,
    id: text('callId') ?? '',
    conversationId: text('conversationId'),
    messageId: text('messageId'),
    step: numberIn(payload, 'step') ?? null,
    toolCallId: text('toolCallId') ?? '',
    toolName: text('toolName') ?? '',
    argumentsJson: '{}',
    attempts: 0,
    queuedAt: at,
    startedAt: null,
  }
  const isOver = status === 'done' || status === 'failed'
  const startedAt = numberIn(payload, 'startedAt') ?? at
  return {
    ...base,
    taskId: text('taskId') ?? row?.taskId ?? null,
    argumentsJson: given === undefined ? base.argumentsJson : JSON.stringify(given),
    status,
    outcome: text('outcome'),
    outputText: text('output'),
    error: text('error'),
    attempts: base.attempts + (status === 'running' ? 1 : 0),
    startedAt: isOver ? base.startedAt : status === 'running' ? startedAt : null,
    finishedAt: isOver ? at : null,
  }
}

function phaseOf(text: string | null): CallPhase {
  return text === 'running' || text === 'done' || text === 'failed' ? text : 'queued'
}
