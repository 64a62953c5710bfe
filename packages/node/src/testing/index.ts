export { ledgerConformance } from './ledger-conformance.ts'
export type { LedgerTest, TestedLedger } from './ledger-conformance.ts'
