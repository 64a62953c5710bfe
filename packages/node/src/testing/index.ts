export { inboxConformance } from './inbox-conformance.ts'
export type { InboxTest, TestedInbox } from './inbox-conformance/inbox-test.ts'
export { ledgerConformance } from './ledger-conformance.ts'
export type { LedgerTest, TestedLedger } from './ledger-conformance.ts'
