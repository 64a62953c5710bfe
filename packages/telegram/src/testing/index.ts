export { telegramRecordsConformance } from './records-conformance.ts'
export type { RecordsTest, TestedRecords } from './records-conformance/records-test.ts'
