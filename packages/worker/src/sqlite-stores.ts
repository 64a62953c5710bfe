import {
  type AssentDatabase,
  auditLog,
  type AuditLog,
  eraseFromSqlite,
  sqliteConversations,
} from '@assent/node'
import { sqliteChanges } from './sqlite-changes.ts'
import { sqliteInbox, type SqliteInbox, type SqliteInboxOptions } from './sqlite-inbox.ts'
import { sqliteReplies } from './sqlite-replies.ts'
import type { WorkerStores } from './stores.ts'

/** The stores of a database. */
export interface SqliteStores extends WorkerStores {
  readonly inbox: SqliteInbox
  readonly audit: AuditLog
}

/**
 * Everything that workers and admin handlers keep, in one file: any number of processes may have it open.
 *
 * @param options those of its inbox; the clock is that of all stores
 */
export function sqliteStores(
  database: AssentDatabase,
  options: SqliteInboxOptions = {},
): SqliteStores {
  const clock = options.now ? { now: options.now } : {}
  return {
    inbox: sqliteInbox(database, options),
    conversations: sqliteConversations(database, clock),
    replies: sqliteReplies(database, clock),
    audit: auditLog(database, clock),
    changes: sqliteChanges(database),
    erase: (subject, context) => eraseFromSqlite(database, subject, { ...clock, ...context }),
    close: async () => database.close(),
  }
}
