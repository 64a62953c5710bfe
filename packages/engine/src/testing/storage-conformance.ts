import { claimTests } from './storage-conformance/claims.ts'
import { fenceTests } from './storage-conformance/fences.ts'
import { nameTests } from './storage-conformance/names.ts'
import { orderTests } from './storage-conformance/order.ts'
import { ownerTests } from './storage-conformance/owners.ts'
import { rangeTests } from './storage-conformance/ranges.ts'
import { recordTests } from './storage-conformance/records.ts'
import { searchTests } from './storage-conformance/search.ts'
import type { StorageTest } from './storage-conformance/storage-test.ts'
import { wholeWriteTests } from './storage-conformance/whole-writes.ts'

/**
 * What every `ConversationStorage` must do, as tests for any test runner. Each begins with a storage
 * of its own and rejects with an `Error` that says what is wrong:
 *
 * ```ts
 * for (const { name, run } of storageConformance()) it(name, () => run(makeStorage))
 * ```
 *
 * They write up to 1 MB at once and 2,000 records. Give them `beside` where several pages or processes
 * can use the same store: two race for its claims, then.
 */
export function storageConformance(): readonly StorageTest[] {
  return [
    ...recordTests,
    ...nameTests,
    ...orderTests,
    ...wholeWriteTests,
    ...claimTests,
    ...fenceTests,
    ...rangeTests,
    ...ownerTests,
    ...searchTests,
  ]
}
