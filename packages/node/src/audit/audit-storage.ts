import type { EngineStorage } from '@assent/engine'
import type { AuditLog } from './audit-log.ts'
import { followConversation, type AuditStorageOptions } from './follow-conversation.ts'

/**
 * Lets the engines that are given this store note in the audit what becomes of their calls, and how
 * people decided: each transition once, also after a crash. For the engine's option `storage`, in front
 * of the store itself:
 *
 * ```ts
 * createMessageEngine({ id, storage: auditStorage(sqliteStorage(database), audit), … })
 * ```
 *
 * A call is noted as running before its tool starts, and how it ended once that is stored. When the
 * audit cannot be written, `save` answers as if the store could not be: a tool with
 * `durable: 'required'` does not run then, and others do; the engine's `onError` is told.
 */
export function auditStorage(
  storage: EngineStorage,
  audit: AuditLog,
  options: AuditStorageOptions = {},
): EngineStorage {
  return {
    open: (host) => followConversation(storage.open(host), { host, audit, options }),
  }
}
