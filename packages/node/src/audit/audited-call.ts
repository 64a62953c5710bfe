import type { JSONValue } from 'ai'
import { decodeName } from '@assent/engine/storage'
import type { CallOutcome, CallPhase, CallRow } from './call-row.ts'

/** A call, and how far it has come. Times are milliseconds since the epoch. */
export interface AuditedCall {
  /** The id in the audit, of the call's conversation, message, step and own id. */
  readonly id: string
  /** Of the entry that tells that it was queued. */
  readonly seq: number
  readonly conversationId: string | undefined
  readonly taskId: string | undefined
  readonly messageId: string | undefined
  readonly step: number | undefined
  readonly toolCallId: string
  readonly toolName: string
  /** As it ran, or was to run; without secrets. */
  readonly arguments: JSONValue
  readonly status: CallPhase
  /** How it ended, once it has. */
  readonly outcome: CallOutcome | undefined
  readonly output: string | undefined
  readonly error: string | undefined
  /** How often it was started. */
  readonly attempts: number
  readonly queuedAt: number
  readonly startedAt: number | undefined
  readonly finishedAt: number | undefined
  /** When arguments, output and error were erased. */
  readonly erasedAt: number | undefined
}

const OUTCOMES: readonly CallOutcome[] = [
  'success',
  'error',
  'timeout',
  'denied',
  'cancelled',
  'interrupted',
  'dropped',
]

/** A call as its row has it. */
export function toAuditedCall(row: CallRow): AuditedCall {
  const nameOf = (name: string | null) => (name === null ? undefined : decodeName(name))
  return {
    id: row.id,
    seq: row.seq,
    conversationId: nameOf(row.conversationId),
    taskId: nameOf(row.taskId),
    messageId: nameOf(row.messageId),
    step: row.step ?? undefined,
    toolCallId: decodeName(row.toolCallId),
    toolName: decodeName(row.toolName),
    arguments: parseJson(row.argumentsJson),
    status: row.status,
    outcome: OUTCOMES.find((outcome) => outcome === row.outcome),
    output: row.outputText ?? undefined,
    error: row.error ?? undefined,
    attempts: row.attempts,
    queuedAt: row.queuedAt,
    startedAt: row.startedAt ?? undefined,
    finishedAt: row.finishedAt ?? undefined,
    erasedAt: row.erasedAt ?? undefined,
  }
}

function parseJson(text: string): JSONValue {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
