import type { ConfirmationRecord } from '@assent/engine'
import type { AuditVerification } from './audit-chain.ts'
import type { AuditEntry, AuditHead } from './audit-entry.ts'
import type { AuditFilter, AuditPage, RunningCalls } from './audit-filter.ts'
import type { ErasureContext, ErasureSubject } from '../erasing/subject.ts'
import type { AuditedCall } from './audited-call.ts'
import type { CallChange } from './record-call.ts'
import type { AuditContext, DecisionContext } from './record-decision.ts'
import type { VerifyOptions } from './verify-audit.ts'

/** Where a task is, as the audit tells it. */
export type TaskPhase = 'ingress' | 'model' | 'tool' | 'reply' | 'done' | 'failed'

/** A task that has come to a phase. */
export interface TaskChange {
  readonly taskId: string
  readonly conversationId?: string | undefined
  /** Whose conversation it is. */
  readonly owner?: string | undefined
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

/**
 * What was done, by whom and when: nothing of it is ever changed or taken away. Entries are written in the
 * order in which the methods were called, also when nobody waits in between.
 */
export interface AuditLog {
  /**
   * Notes how far a call has come. It is on disk when this resolves, but for `queued`, which a loss of
   * power can undo as long as nothing came after it. What is known already is not noted twice.
   *
   * @returns whether it was news
   */
  recordCall(change: CallChange): Promise<boolean>
  /**
   * Notes the decision of a person, or what became of a standing permission; each once, by its id.
   *
   * @returns whether it was news
   */
  recordDecision(record: ConfirmationRecord, context?: DecisionContext): Promise<boolean>
  /** Notes that a path or a command was refused; for `onRefused` of the workspace tools. */
  recordRefusal(refusal: AuditedRefusal, context?: AuditContext): Promise<void>
  /** Notes where a task is. `done` and `failed` are on disk when this resolves, as all that came before. */
  recordTask(change: TaskChange): Promise<void>
  /**
   * Notes of calls that are said to run, and whose process is gone, that they were interrupted: after
   * a crash, before anything of the kind is started anew. The calls of an engine need not be among
   * them: it notes that by itself.
   *
   * @returns how many there were
   */
  interruptRunning(which: RunningCalls): Promise<number>
  /** Entries, newest first. */
  query(filter?: AuditFilter & AuditPage): Promise<AuditEntry[]>
  /** Calls as they stand, the one that was queued last first. */
  calls(filter?: Omit<AuditFilter, 'kind'> & AuditPage): Promise<AuditedCall[]>
  /**
   * Erases what people and tools said of a conversation, or of a user: arguments, outputs, errors, reasons,
   * who decided and what is shown of a call. What remains of an entry is its hash and that of what it said, its
   * kind, its time, phases, ids, and the names of conversation, task and tool: the chain is still valid, and
   * an entry says what was erased when.
   *
   * Ask for a user before the conversations of that user are erased one by one: then nothing says any more
   * whose they were.
   *
   * @returns how many entries were erased
   */
  erase(subject: ErasureSubject, context?: ErasureContext): Promise<number>
  /** The last entry; its number is 0 when there is none. Kept elsewhere, it proves more: see `verify`. */
  head(): Promise<AuditHead>
  /**
   * Looks through everything: whether an entry was changed, taken away, put in or moved, and whether
   * `tool_calls` says what the entries say. It lets others go on in between.
   *
   * Who may write the database, and writes all of it anew from some entry on, with its hashes, cannot be
   * found out by the database alone: give a `head` that was noted elsewhere.
   */
  verify(options?: VerifyOptions): Promise<AuditVerification>
  /** Entries as lines of JSON, oldest first, each as it was hashed; `verifyJsonl` checks them. */
  exportJsonl(filter?: AuditFilter): AsyncIterable<string>
}
