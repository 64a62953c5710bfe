import type { ConversationStorage } from '../../storage/storage.ts'

/** A storage to be tested. */
export interface TestedStorage {
  readonly storage: ConversationStorage
  /**
   * Another storage over the same data, as after a reload. The earlier one is not used any more.
   * Without it, what is kept beyond the storage itself is not tested.
   */
  reopen?(): Promise<ConversationStorage>
  /**
   * Another storage over the same data, as of another page or process; both are used at the same
   * time. For one whose `claims` decide in the whole store.
   */
  beside?(): Promise<ConversationStorage>
}

/** One test of the conformance suite. */
export interface StorageTest {
  /** What the storage does, as a sentence. */
  readonly name: string
  /**
   * Resolves when the storage does it; rejects with an `Error` that says what it did instead.
   *
   * @param make a storage that holds nothing and that nobody else uses; called once
   */
  run(make: () => Promise<TestedStorage>): Promise<void>
}

/** A test that needs nothing but the storage. */
export function storageTest(
  name: string,
  test: (storage: ConversationStorage) => Promise<void>,
): StorageTest {
  return { name, run: async (make) => test((await make()).storage) }
}
