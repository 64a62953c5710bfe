import { decidingTests } from './erasure-conformance/deciding.ts'
import type { ErasureTest } from './erasure-conformance/erasure-test.ts'
import { erasingTests } from './erasure-conformance/erasing.ts'
import { fencingTests } from './erasure-conformance/fencing.ts'

/**
 * What `erase` of every `WorkerStores` must do, as tests for any test runner. Each begins with stores of its own and
 * rejects with an `AssertionError` that says what is wrong:
 *
 * ```ts
 * for (const { name, run } of erasureConformance()) it(name, () => run(makeStores))
 * ```
 */
export function erasureConformance(): readonly ErasureTest[] {
  return [...erasingTests, ...fencingTests, ...decidingTests]
}
