import { askTests } from './records-conformance/asks.ts'
import { chatTests } from './records-conformance/chats.ts'
import { draftTests } from './records-conformance/drafts.ts'
import { erasingTests } from './records-conformance/erasing.ts'
import { messageTests } from './records-conformance/messages.ts'
import type { RecordsTest } from './records-conformance/records-test.ts'
import { updateTests } from './records-conformance/updates.ts'

/**
 * What every `TelegramRecords` must do, as tests for any test runner. Each begins with records of its own and
 * rejects with an `AssertionError` that says what is wrong:
 *
 * ```ts
 * for (const { name, run } of telegramRecordsConformance()) it(name, () => run(makeRecords))
 * ```
 */
export function telegramRecordsConformance(): readonly RecordsTest[] {
  return [
    ...updateTests,
    ...messageTests,
    ...askTests,
    ...chatTests,
    ...draftTests,
    ...erasingTests,
  ]
}
