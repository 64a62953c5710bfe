export { auditConformance } from './audit-conformance.ts'
export type { AuditTest, TestedAudit } from './tested-audit.ts'
export { ledgerConformance } from './ledger-conformance.ts'
export type { LedgerTest, TestedLedger } from './ledger-conformance.ts'
