/**
 * What a database has to do to keep an audit, and what `auditLog` does with it: for authors of an
 * `AuditStore`. Nothing of it loads a database.
 */
export { createAuditLog } from './create-audit-log.ts'
export type { AuditTextOptions } from './create-audit-log.ts'
export type { AuditLog } from './audit-log.ts'
export type { AuditHead, AuditKind, AuditPayload, StoredEntry } from './audit-entry.ts'
export { fullPayload, NO_HASH, textIn, toPayload } from './audit-entry.ts'
export type { AuditFilter, RunningCalls } from './audit-filter.ts'
export {
  beforePart,
  callParts,
  entryParts,
  patternOf,
  subjectPart,
  whereOf,
  withinJson,
} from './audit-sql.ts'
export type { SqlPart } from './audit-sql.ts'
export type {
  AuditDraft,
  AuditRange,
  AuditStore,
  AuditSubject,
  AuditWrite,
  StoredCalls,
} from './audit-store.ts'
export { toCallRow, withEntry } from './call-row.ts'
export type { CallRow } from './call-row.ts'
export { ENTRY_COLUMNS, toStoredEntry } from './entry-rows.ts'
export { planWrite } from './planned-write.ts'
