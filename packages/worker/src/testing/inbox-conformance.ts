import { addingTests } from './inbox-conformance/adding.ts'
import { answeringTests } from './inbox-conformance/answering.ts'
import { claimingTests } from './inbox-conformance/claiming.ts'
import { endingTests } from './inbox-conformance/ending.ts'
import type { InboxTest } from './inbox-conformance/inbox-test.ts'

/**
 * What every `Inbox` must do, as tests for any test runner. Each begins with an inbox of its own and
 * rejects with an `AssertionError` that says what is wrong:
 *
 * ```ts
 * for (const { name, run } of inboxConformance()) it(name, () => run(makeInbox))
 * ```
 */
export function inboxConformance(): readonly InboxTest[] {
  return [...addingTests, ...claimingTests, ...answeringTests, ...endingTests]
}
