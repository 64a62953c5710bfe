/**
 * What is tested: an engine in a page; a route of the AI SDK's own, with signed approvals and
 * `strictApproval`; or a handler that also counts approvals, and knows users and the time.
 */
export type ApprovalLevel = 'page' | 'plain route' | 'handler'

const ALL: readonly ApprovalLevel[] = ['page', 'plain route', 'handler']
const PAGE: readonly ApprovalLevel[] = ['page']
const SERVERS: readonly ApprovalLevel[] = ['plain route', 'handler']
const HANDLER: readonly ApprovalLevel[] = ['handler']

/** What makes a yes a yes, and the levels of which it is demanded. */
export const APPROVAL_INVARIANTS = {
  'nothing runs without a yes': ALL,
  'what is no verdict asks': ALL,
  'a yes runs its call once': ALL,
  'what runs is what was approved': ALL,
  'what was let run does run, and what is to be asked waits': ALL,
  'a no is final': ALL,
  "a rule's deny beats a yes": ALL,
  'the first decision counts': PAGE,
  'a decision counts for what was shown': PAGE,
  'a permission covers no more than it says, and nothing once it is taken back': PAGE,
  'nothing runs once it was stopped': PAGE,
  'nothing is lost or runs again after a reload': PAGE,
  'an approval that nobody asked for runs nothing': SERVERS,
  'an approval is used once': HANDLER,
  'an approval holds for one user and one conversation': HANDLER,
  'an approval expires': HANDLER,
  'a step waits until all of it is decided': HANDLER,
} satisfies Record<string, readonly ApprovalLevel[]>

/** The name of an invariant. */
export type ApprovalInvariant = keyof typeof APPROVAL_INVARIANTS
