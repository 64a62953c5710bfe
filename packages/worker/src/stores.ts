import type { SharedConversations } from '@assent/engine/storage'
import type { AuditLog, Erased, ErasureContext, ErasureSubject } from '@assent/node'
import type { Changes } from './admin/changes.ts'
import type { Inbox } from './inbox.ts'
import type { Replies } from './replies.ts'

/**
 * Everything that workers and admin handlers keep, as one value of a backend: `sqliteStores(database)`,
 * `postgresStores(database)`, or one of your own.
 *
 * ```ts
 * createWorker({ ...stores, createEngine })
 * ```
 */
export interface WorkerStores {
  readonly inbox: Inbox
  /** The conversations of the tasks, and who holds them. */
  readonly conversations: SharedConversations
  /** What became of replies. */
  readonly replies: Replies
  /** Where everything is written down; `false`: nowhere. */
  readonly audit: AuditLog | false
  /** Word of what is written, for pages that show it. */
  readonly changes: Changes
  /**
   * Erases what people, models and tools said of a conversation, or of a user, in all that this backend keeps, beside these
   * stores also approvals and what channels remember. One that was cut off goes on when it is called again.
   */
  erase(subject: ErasureSubject, context?: ErasureContext): Promise<Erased>
  /** Closes the backend; a second time does nothing. */
  close(): Promise<void>
}
