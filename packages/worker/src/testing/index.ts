export { inboxConformance } from './inbox-conformance.ts'
export type { InboxTest, TestedInbox } from './inbox-conformance/inbox-test.ts'
export { repliesConformance } from './replies-conformance.ts'
export type { RepliesTest, TestedReplies } from './replies-conformance.ts'
