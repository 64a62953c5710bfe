/** What makes a yes a yes: all of it in a page, on a route or in a handler, as far as it concerns these. */
export type ApprovalInvariant =
  | 'nothing runs without a yes'
  | 'what is no verdict asks'
  | 'a yes runs its call once'
  | 'what runs is what was approved'
  | 'what was let run does run, and what is to be asked waits'
  | 'a no is final'
  | "a rule's deny beats a yes"
  // Of a page.
  | 'the first decision counts'
  | 'a decision counts for what was shown'
  | 'a permission covers no more than it says, and nothing once it is taken back'
  | 'nothing runs once it was stopped'
  | 'nothing is lost or runs again after a reload'
  // Of routes and handlers.
  | 'an approval that nobody asked for runs nothing'
  // Of handlers.
  | 'an approval is used once'
  | 'an approval holds for one user and one conversation'
  | 'an approval expires'
  | 'a step waits until all of it is decided'
