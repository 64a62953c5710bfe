import type { ConfirmationRecord } from '@assent/engine'
import { createRedactor, type Redact } from '@assent/engine/redaction'
import { DatabaseError } from '../sqlite/database-error.ts'
import { encodeName } from '../sqlite/names.ts'
import type { AssentDatabase } from '../sqlite/open-database.ts'
import type { AuditVerification } from './audit-chain.ts'
import type { AuditEntry, AuditHead } from './audit-entry.ts'
import {
  readCalls,
  readEntries,
  type AuditedCall,
  type AuditFilter,
  type AuditPage,
} from './audit-query.ts'
import { auditTexts } from './audit-texts.ts'
import { entryTable } from './entry-table.ts'
import { exportEntries } from './export-audit.ts'
import { callRecorder, type CallChange, type RunningCalls } from './record-call.ts'
import { toDecision, type AuditContext } from './record-decision.ts'
import { verifyAudit, type VerifyOptions } from './verify-audit.ts'

/** Where a task is, as the audit tells it. */
export type TaskPhase = 'ingress' | 'model' | 'tool' | 'reply' | 'done' | 'failed'

/** A task that has come to a phase. */
export interface TaskChange {
  readonly taskId: string
  readonly conversationId?: string | undefined
  readonly phase: TaskPhase
  /** In words for people. */
  readonly message: string
}

/** What a tool refused to do by itself; the workspace tools tell it by `onRefused`. */
export interface AuditedRefusal {
  /** Why, by a stable name. */
  readonly code: string
  readonly toolName: string
  readonly toolCallId: string
  /** In words for the model. */
  readonly message: string
  /** The path or the command as it was given. */
  readonly subject: string
}

/** The audit of a database. Nothing in it is ever changed or taken away. */
export interface AuditLog {
  /**
   * Notes how far a call has come. It is on disk when this returns, but for `queued`, which a loss of
   * power can undo as long as nothing came after it. What is known already is not noted twice.
   *
   * @returns whether it was news
   */
  recordCall(change: CallChange): boolean
  /**
   * Notes the decision of a person, or what became of a standing permission; each once, by its id.
   *
   * @returns whether it was news
   */
  recordDecision(record: ConfirmationRecord, context?: AuditContext): boolean
  /** Notes that a path or a command was refused; for `onRefused` of the workspace tools. */
  recordRefusal(refusal: AuditedRefusal, context?: AuditContext): void
  /** Notes where a task is. `done` and `failed` are on disk when this returns, as all that came before. */
  recordTask(change: TaskChange): void
  /**
   * Notes of calls that are said to run, and whose process is gone, that they were interrupted: after
   * a crash, before anything of the kind is started anew. The calls of an engine need not be among
   * them: it notes that by itself.
   *
   * @returns how many there were
   */
  interruptRunning(which: RunningCalls): number
  /** Entries, newest first. */
  query(filter?: AuditFilter & AuditPage): AuditEntry[]
  /** Calls as they stand, the one that was queued last first. */
  calls(filter?: Omit<AuditFilter, 'kind'> & AuditPage): AuditedCall[]
  /** The last entry; its number is 0 when there is none. Kept elsewhere, it proves more: see `verify`. */
  head(): AuditHead
  /**
   * Looks through everything: whether an entry was changed, taken away, put in or moved, and whether
   * `tool_calls` says what the entries say. It lets others go on in between.
   *
   * Who may write the file, and writes all of it anew from some entry on, with its hashes, cannot be
   * found out by the file alone: give a `head` that was noted elsewhere.
   */
  verify(options?: VerifyOptions): Promise<AuditVerification>
  /** Entries as lines of JSON, oldest first, each as it was hashed; `verifyJsonl` checks them. */
  exportJsonl(filter?: AuditFilter): AsyncIterable<string>
}

/** Options of {@link auditLog}. */
export interface AuditLogOptions {
  /** Milliseconds since the epoch. Default `Date.now`. */
  readonly now?: () => number
  /**
   * Masks secrets in arguments, outputs, errors, reasons and refusals before they are written.
   * Default: `createRedactor()`; `false` masks nothing.
   */
  readonly redact?: Redact | false
  /** UTF-8 bytes that are kept of arguments, an output or a text. Default 51,200. */
  readonly maxTextBytes?: number
}

/** The audit in a database; one for all its conversations and tasks. Its methods do not wait. */
export function auditLog(
  database: AssentDatabase,
  { now = Date.now, redact = createRedactor(), maxTextBytes = 51_200 }: AuditLogOptions = {},
): AuditLog {
  if (!Number.isInteger(maxTextBytes) || maxTextBytes < 1) {
    throw new DatabaseError('invalid_argument', 'maxTextBytes is a whole number from 1.')
  }
  const texts = auditTexts(redact === false ? undefined : redact, maxTextBytes)
  const entries = entryTable(database, now)
  const calls = callRecorder(database, { entries, texts, now })
  const known = database.sqlite.prepare('SELECT 1 FROM audit_entries WHERE decision_id = ?')
  const names = ({ conversationId, taskId }: AuditContext) => ({
    conversationId: conversationId === undefined ? undefined : encodeName(conversationId),
    taskId: taskId === undefined ? undefined : encodeName(taskId),
  })

  return {
    recordCall: (change) => calls.record(change),
    recordDecision: (record, context = {}) =>
      database.transaction(() => {
        if (known.get(encodeName(record.id))) return false
        const { kind, payload } = toDecision(record, context, texts)
        entries.append(kind, payload)
        return true
      }),
    recordRefusal({ code, toolName, toolCallId, message, subject }, context = {}) {
      entries.append('refusal', {
        ...names(context),
        toolName: encodeName(toolName),
        toolCallId: encodeName(toolCallId),
        code,
        subject: texts.text(subject, toolName),
        message: texts.text(message, toolName),
      })
    },
    recordTask({ phase, message, ...context }) {
      const isOver = phase === 'done' || phase === 'failed'
      entries.append(
        'task',
        { ...names(context), phase, message: texts.text(message) },
        { durability: isOver ? 'strict' : 'relaxed' },
      )
    },
    interruptRunning: (which) => calls.interrupt(which),
    query: (filter = {}) => readEntries(database, filter),
    calls: (filter = {}) => readCalls(database, filter),
    head: () => entries.head(),
    verify: (options = {}) => verifyAudit(database, options),
    exportJsonl: (filter = {}) => exportEntries(database, filter),
  }
}
