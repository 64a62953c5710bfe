import type { ConversationsTest } from './conversations-conformance/conversations-test.ts'
import { holdingTests } from './conversations-conformance/holding.ts'
import { writingTests } from './conversations-conformance/writing.ts'

/**
 * What every `Conversations` must do, as tests for any test runner. Each begins with conversations of its
 * own and rejects with an `Error` that says what is wrong:
 *
 * ```ts
 * for (const { name, run } of conversationsConformance()) it(name, () => run(makeConversations))
 * ```
 */
export function conversationsConformance(): readonly ConversationsTest[] {
  return [...holdingTests, ...writingTests]
}
