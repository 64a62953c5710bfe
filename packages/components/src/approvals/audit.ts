/** The record of decisions without its component: for exports, reports, and pages of one's own. */
export { readAuditEntries } from './audit-entries.ts'
export { exportAudit, type AuditFormat } from './audit-export.ts'
export type { TrailEntry, AuditOutcome, AuditSources } from './audit-types.ts'
