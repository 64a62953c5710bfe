export { auditConformance } from './audit-conformance.ts'
export type { AuditTest, TestedAudit } from './tested-audit.ts'
export { ledgerConformance } from './ledger-conformance.ts'
export type { LedgerTest, TestedLedger } from './ledger-conformance.ts'
export { auditedConversationsConformance } from './audited-conversations-conformance.ts'
export type {
  AuditedConversationsAsked,
  AuditedConversationsTest,
  TestedAuditedConversations,
} from './audited-conversations-conformance.ts'
export { streamsConformance } from './streams-conformance.ts'
export type { StreamsTest, TestedStreams } from './streams-conformance.ts'
