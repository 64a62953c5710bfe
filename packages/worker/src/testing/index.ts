export { inboxConformance } from './inbox-conformance.ts'
export type { InboxTest, TestedInbox } from './inbox-conformance/inbox-test.ts'
