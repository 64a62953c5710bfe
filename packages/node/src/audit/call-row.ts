import { hash } from 'node:crypto'
import { numberIn, textIn, type AuditPayload } from './audit-entry.ts'

/** How far a call has come. */
export type CallPhase = 'queued' | 'running' | 'done' | 'failed'

/**
 * How a call ended: `success` is that of `done`, all others of `failed`.
 * - `error` the tool failed, or its output says so; `timeout` its time was up
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
  /** When what was said in it was erased. */
  readonly erasedAt: number | null
}

/** What of an entry the row of its call is made of. */
export interface CallEntry {
  readonly seq: number
  readonly at: number
  readonly payload: AuditPayload
  readonly erasedAt: number | null
}

/** The row of a call after one more entry about it. */
export function withEntry(
  row: CallRow | undefined,
  { seq, at, payload, erasedAt }: CallEntry,
): CallRow {
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
    erasedAt: null,
  }
  const isOver = status === 'done' || status === 'failed'
  const startedAt = numberIn(payload, 'startedAt')
  return {
    ...base,
    taskId: text('taskId') ?? row?.taskId ?? null,
    argumentsJson: given === undefined ? base.argumentsJson : JSON.stringify(given),
    status,
    outcome: text('outcome'),
    outputText: text('output'),
    error: text('error'),
    attempts: base.attempts + (status === 'running' ? 1 : 0),
    startedAt: isOver
      ? (base.startedAt ?? startedAt ?? null)
      : status === 'running'
        ? (startedAt ?? at)
        : null,
    finishedAt: isOver ? at : null,
    erasedAt: erasedAt ?? base.erasedAt,
  }
}

function phaseOf(text: string | null): CallPhase {
  return text === 'running' || text === 'done' || text === 'failed' ? text : 'queued'
}

/** The row that was selected: the table takes no other values. */
export function toCallRow(row: Readonly<Record<string, unknown>>): CallRow {
  const text = (field: keyof CallRow) => String(row[field])
  const textOrNull = (field: keyof CallRow) => (row[field] === null ? null : text(field))
  const numberOrNull = (field: keyof CallRow) => (row[field] === null ? null : Number(row[field]))
  const status = text('status')
  return {
    seq: Number(row['seq']),
    id: text('id'),
    conversationId: textOrNull('conversationId'),
    taskId: textOrNull('taskId'),
    messageId: textOrNull('messageId'),
    step: numberOrNull('step'),
    toolCallId: text('toolCallId'),
    toolName: text('toolName'),
    argumentsJson: text('argumentsJson'),
    status: status === 'running' || status === 'done' || status === 'failed' ? status : 'queued',
    outcome: textOrNull('outcome'),
    outputText: textOrNull('outputText'),
    error: textOrNull('error'),
    attempts: Number(row['attempts']),
    queuedAt: Number(row['queuedAt']),
    startedAt: numberOrNull('startedAt'),
    finishedAt: numberOrNull('finishedAt'),
    erasedAt: numberOrNull('erasedAt'),
  }
}
