import { DatabaseError } from '../sqlite/database-error.ts'
import { decodeName, encodeName } from '../sqlite/names.ts'
import type { AssentDatabase } from '../sqlite/open-database.ts'
import type { AuditPayload } from './audit-entry.ts'
import { toPayload, type AuditFilter } from './audit-query.ts'
import type { AuditTexts } from './audit-texts.ts'
import {
  callIdOf,
  withEntry,
  type CallName,
  type CallOutcome,
  type CallPhase,
  type CallRow,
} from './call-row.ts'
import { CALL_COLUMNS, callTable, toCallRow } from './call-table.ts'
import type { EntryTable } from './entry-table.ts'

/** A call that has come to a phase. */
export interface CallChange extends CallName {
  readonly taskId?: string | undefined
  readonly toolName: string
  readonly phase: CallPhase
  /** How it ended; needed for `failed`. */
  readonly outcome?: CallOutcome | undefined
  /** What it is called with; with a later phase when it has changed, or was not said before. */
  readonly input?: unknown
  readonly output?: unknown
  readonly error?: string | undefined
  /** Somebody else runs it: the provider, or the server that streamed it. */
  readonly isElsewhere?: boolean | undefined
  /** It ended without a result, and may have taken effect. */
  readonly mayHaveRun?: boolean | undefined
  /** Who let it run, or denied it. */
  readonly decidedBy?: 'person' | 'rule' | 'policy' | undefined
  /**
   * With `running`: when it started, in milliseconds since the epoch. The same start is noted once;
   * without it every `running` is another attempt, but of a call that is run elsewhere.
   */
  readonly startedAt?: number | undefined
}

/** Which calls to close. */
export type RunningCalls = Pick<AuditFilter, 'conversationId' | 'taskId' | 'toolName' | 'until'>

/** Writes how far calls have come. */
export interface CallRecorder {
  record(change: CallChange): boolean
  interrupt(which: RunningCalls): number
}

export function callRecorder(
  database: AssentDatabase,
  {
    entries,
    texts,
    now,
  }: { readonly entries: EntryTable; readonly texts: AuditTexts; readonly now: () => number },
): CallRecorder {
  const table = callTable(database)
  const running = database.sqlite.prepare(
    `SELECT ${CALL_COLUMNS} FROM tool_calls WHERE status = 'running'
       AND (:conversationId IS NULL OR conversation_id = :conversationId)
       AND (:taskId IS NULL OR task_id = :taskId)
       AND (:toolName IS NULL OR tool_name = :toolName)
       AND (:until IS NULL OR started_at < :until)
     ORDER BY seq`,
  )

  function append(row: CallRow | undefined, payload: AuditPayload): CallRow {
    const { phase } = payload
    const {
      seq,
      at,
      payload: text,
    } = entries.append('call', payload, {
      durability: phase === 'queued' ? 'relaxed' : 'strict',
    })
    // Made of what was written, so that verifying comes to the same row.
    const next = withEntry(row, { seq, at, payload: toPayload(text) })
    table.put(next)
    return next
  }

  return {
    record(change) {
      check(change)
      // Outside of the transaction: to look for secrets takes its time.
      const payloads = payloadsOf(change, texts, now)
      return database.transaction(
        () => {
          const row = table.find(payloads.id)
          if (row && isKnown(row, change)) return false
          const queued = row ?? append(undefined, payloads.queued)
          const { argumentsJson } = queued
          const given = payloads.next['arguments']
          const isSame = given !== undefined && JSON.stringify(given) === argumentsJson
          if (change.phase === 'queued' && !row) return true
          append(queued, {
            ...payloads.next,
            // Whoever takes a conversation up again may do so for another task.
            taskId: queued.taskId ?? payloads.next['taskId'],
            ...(isSame && { arguments: undefined }),
          })
          return true
        },
        { durability: change.phase === 'queued' ? 'relaxed' : 'strict' },
      )
    },
    interrupt({ conversationId = null, taskId = null, toolName = null, until = null }) {
      const name = (text: string | null) => (text === null ? null : encodeName(text))
      return database.transaction(() => {
        const rows = running
          .all({
            conversationId: name(conversationId),
            taskId: name(taskId),
            toolName: name(toolName),
            until,
          })
          .map((row) => toCallRow(row))
        for (const row of rows) {
          append(row, {
            callId: row.id,
            conversationId: row.conversationId ?? undefined,
            taskId: row.taskId ?? undefined,
            toolCallId: row.toolCallId,
            toolName: row.toolName,
            phase: 'failed',
            outcome: 'interrupted',
            error: `Its process ended while ${decodeName(row.toolName)} ran; it may have taken effect.`,
            mayHaveRun: true,
          })
        }
        return rows.length
      })
    },
  }
}

function check({ toolCallId, toolName, phase, outcome }: CallChange): void {
  if (typeof toolCallId !== 'string' || typeof toolName !== 'string') {
    throw new DatabaseError('invalid_argument', 'A call has a toolCallId and a toolName.')
  }
  const isFailure = outcome !== undefined && outcome !== 'success'
  const isFitting = phase === 'failed' ? isFailure : outcome === undefined || phase === 'done'
  if (!isFitting || (phase === 'done' && isFailure)) {
    throw new DatabaseError(
      'invalid_argument',
      `A call that is ${phase} has no outcome ${String(outcome)}: "failed" has one that is not ` +
        '"success", "done" has that, and the others have none.',
    )
  }
}

/** Whether the row of a call says what is to be noted. */
function isKnown(row: CallRow, { phase, outcome, startedAt, isElsewhere }: CallChange): boolean {
  if (row.status !== phase) return false
  if (phase === 'running' && isElsewhere === true && startedAt === undefined) return true
  if (phase === 'running') return startedAt !== undefined && row.startedAt === startedAt
  return phase !== 'failed' || row.outcome === outcome
}

/** What the entry says, and the one before it when the call is not known. */
function payloadsOf(
  change: CallChange,
  texts: AuditTexts,
  now: () => number,
): { readonly id: string; readonly queued: AuditPayload; readonly next: AuditPayload } {
  const { conversationId, taskId, messageId, step, toolCallId, toolName, phase } = change
  const { outcome, input, output, error, isElsewhere, mayHaveRun, decidedBy } = change
  const id = callIdOf(change)
  const stored = (name: string | undefined) => (name === undefined ? undefined : encodeName(name))
  const call = {
    callId: id,
    conversationId: stored(conversationId),
    taskId: stored(taskId),
    messageId: stored(messageId),
    step,
    toolCallId: encodeName(toolCallId),
    toolName: encodeName(toolName),
  }
  const given = {
    isElsewhere: isElsewhere === true ? true : undefined,
    arguments: input === undefined ? undefined : texts.json(input, toolName),
  }
  return {
    id,
    queued: { ...call, phase: 'queued', ...given },
    next: {
      ...call,
      phase,
      outcome: phase === 'done' ? 'success' : outcome,
      decidedBy,
      mayHaveRun: mayHaveRun === true ? true : undefined,
      startedAt: phase === 'running' ? Math.trunc(change.startedAt ?? now()) : undefined,
      ...given,
      output: output === undefined ? undefined : texts.output(output, toolName),
      error: error === undefined ? undefined : texts.text(error, toolName),
    },
  }
}
