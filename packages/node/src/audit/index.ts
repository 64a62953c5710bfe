/**
 * What a database has to do to keep an audit, and what `auditLog` does with it: for authors of an
 * `AuditStore`. Nothing of it loads a database.
 */
export { auditParts, createAuditLog } from './create-audit-log.ts'
export type { AuditParts, AuditTextOptions } from './create-audit-log.ts'
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
export type { AuditDraft, AuditRange, AuditStore, AuditWrite, StoredCalls } from './audit-store.ts'
/** What an audit notes of the records that pages write. */
export { messagesWithCalls, writesOfRecords } from '../conversations/audit-records.ts'
export { notedWhereRun } from './noted-tools.ts'
export type { WrittenRecords } from '../conversations/audit-records.ts'
export type { AuditTexts } from './audit-texts.ts'
/** What erasing goes by, in all tables of a database. */
export { everywhereNamespaces, isGivenIn, meantNamespaces } from '../erasing/meant-namespaces.ts'
export type { MeantNamespaces } from '../erasing/meant-namespaces.ts'
export { assertSubject, meantNames } from '../erasing/subject.ts'
export type { Erased, ErasureContext, ErasureSubject, MeantNames } from '../erasing/subject.ts'
export {
  isErasedUpdate,
  isPrivateChat,
  telegramUser,
  withoutDecider,
} from '../erasing/telegram-subject.ts'
export type { TelegramErasure } from '../erasing/telegram-subject.ts'
export { toCallRow, withEntry } from './call-row.ts'
export type { CallRow } from './call-row.ts'
export { ENTRY_COLUMNS, toStoredEntry } from './entry-rows.ts'
export { planWrite } from './planned-write.ts'
