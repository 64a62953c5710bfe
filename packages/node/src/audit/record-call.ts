import { decodeName, encodeName } from '@assent/engine/storage'
import { DatabaseError } from '../sqlite/database-error.ts'
import { visibleJson } from '@assent/engine/reading'
import { toPayload, type AuditPayload } from './audit-entry.ts'
import type { AuditDraft, AuditWrite } from './audit-store.ts'
import type { AuditTexts } from './audit-texts.ts'
import {
  callIdOf,
  withEntry,
  type CallName,
  type CallOutcome,
  type CallPhase,
  type CallRow,
} from './call-row.ts'

/** A call that has come to a phase. */
export interface CallChange extends CallName {
  readonly taskId?: string | undefined
  /** Whose conversation it is. */
  readonly owner?: string | undefined
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
   * When it started, in milliseconds since the epoch; an end tells of it whose start was not noted. The same start is noted once;
   * without it every `running` is another attempt, but of a call that is run elsewhere.
   */
  readonly startedAt?: number | undefined
}

/** The entries that say how far a call has come: none when its row says so already. */
export function callWrite(change: CallChange, texts: AuditTexts): AuditWrite {
  check(change)
  // Outside of the transaction: to look for secrets takes its time.
  const { id, queued, next } = payloadsOf(change, texts)
  const isQueued = change.phase === 'queued'
  const isEnd = change.phase === 'done' || change.phase === 'failed'
  return {
    callId: id,
    durability: isQueued ? 'relaxed' : 'strict',
    plan(row) {
      if (row && isKnown(row, change)) return []
      const first: AuditDraft[] = row ? [] : [{ kind: 'call', payload: queued }]
      if (isQueued && !row) return first
      const before = row ?? rowAfter(queued)
      const given = next['arguments']
      const isSame = given !== undefined && JSON.stringify(given) === before.argumentsJson
      const payload = {
        ...next,
        // Whoever takes a conversation up again may do so for another task.
        taskId: before.taskId ?? next['taskId'],
        ...(isSame && { arguments: undefined }),
        // Its process may have ended before that was noted.
        ...(isEnd && before.startedAt !== null && { startedAt: undefined }),
        ...(before.erasedAt !== null && UNSAID),
      }
      return [...first, { kind: 'call', payload }]
    },
  }
}

/** Of a call that was erased meanwhile: whoever runs it does not write back what is said. */
const UNSAID = { owner: undefined, arguments: undefined, output: undefined, error: undefined }

/** The entry that says of a call that its process ended. */
export function interruption(row: CallRow): AuditDraft {
  const payload = {
    callId: row.id,
    conversationId: row.conversationId ?? undefined,
    taskId: row.taskId ?? undefined,
    toolCallId: row.toolCallId,
    toolName: row.toolName,
    phase: 'failed',
    outcome: 'interrupted',
    error: `Its process ended while ${decodeName(row.toolName)} ran; it may have taken effect.`,
    mayHaveRun: true,
  }
  return { kind: 'call', payload }
}

/** The row of a call that is new, as what is written will make it. */
function rowAfter(payload: AuditPayload): CallRow {
  const written = toPayload(visibleJson(payload))
  return withEntry(undefined, { seq: 0, at: 0, payload: written, erasedAt: null })
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
): { readonly id: string; readonly queued: AuditPayload; readonly next: AuditPayload } {
  const { conversationId, taskId, owner, messageId, step, toolCallId, toolName, phase } = change
  const { outcome, input, output, error, isElsewhere, mayHaveRun, decidedBy } = change
  const id = callIdOf(change)
  const stored = (name: string | undefined) => (name === undefined ? undefined : encodeName(name))
  const call = {
    callId: id,
    owner: stored(owner),
    conversationId: stored(conversationId),
    taskId: stored(taskId),
    messageId: stored(messageId),
    step,
    toolCallId: encodeName(toolCallId),
    toolName: encodeName(toolName),
  }
  const isStart = phase !== 'queued' && change.startedAt !== undefined
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
      startedAt: isStart ? Math.trunc(change.startedAt ?? 0) : undefined,
      ...given,
      output: output === undefined ? undefined : texts.output(output, toolName),
      error: error === undefined ? undefined : texts.text(error, toolName),
    },
  }
}
