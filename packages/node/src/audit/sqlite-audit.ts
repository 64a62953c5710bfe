import type { AssentDatabase } from '../sqlite/open-database.ts'
import type { AuditLog } from './audit-log.ts'
import { createAuditLog, type AuditTextOptions } from './create-audit-log.ts'
import { sqliteAuditStore } from './sqlite-audit-store.ts'

/** Options of {@link auditLog}. */
export interface AuditLogOptions extends AuditTextOptions {
  /** Milliseconds since the epoch. Default `Date.now`. */
  readonly now?: () => number
}

/**
 * The audit in a database; one for all its conversations and tasks. What is noted inside of a
 * `transaction` of the database belongs to that.
 */
export function auditLog(
  database: AssentDatabase,
  { now = Date.now, ...options }: AuditLogOptions = {},
): AuditLog {
  return createAuditLog(sqliteAuditStore(database, now), options)
}
