import type { JSONValue } from 'ai'

/** Records to write and to take away, by key. A key that is in both is written. */
export interface StorageChanges {
  readonly put?: ReadonlyMap<string, JSONValue>
  readonly remove?: readonly string[]
}

/** How much a write must survive. */
export interface StorageWriteOptions {
  /**
   * - `strict` on disk when it resolves, as far as the store can say that: for what must be known
   *   after a crash before something is done
   * - `relaxed` (default) a crash of the machine may lose it, one of the page does not
   */
  readonly durability?: 'strict' | 'relaxed'
}

/**
 * Where conversations are kept: records of JSON by key, in a namespace per conversation. It knows
 * nothing of what the records mean, so that an adapter is a few lines; the conformance suite of
 * `@assent/engine/testing` holds one to this contract.
 *
 * - Namespaces and keys are any texts, also hostile ones (`__proto__`, `a:b`, empty, of any script,
 *   with half of a character), and differ when one code unit differs.
 * - Values are not changed after they are handed over; what is read may be changed by who read it.
 * - Calls for one namespace take effect in the order in which they were made, awaited or not: a read
 *   sees every write called before it, and so does `list`.
 * - A write is there as a whole or not at all, also when the process ends in the middle.
 * - A method that fails rejects, with whatever it likes; nothing else is lost by that, and the calls
 *   after it are not held up.
 */
export interface ConversationStorage {
  /** All records of a namespace; empty when there is none. A record that is unreadable is left out. */
  read(namespace: string): Promise<ReadonlyMap<string, JSONValue>>
  write(namespace: string, changes: StorageChanges, options?: StorageWriteOptions): Promise<void>
  /** Takes a whole namespace away. */
  remove(namespace: string): Promise<void>
  /** The record of this key in every namespace that has one, by namespace. */
  list(key: string): Promise<ReadonlyMap<string, JSONValue>>
  /**
   * For a store that other processes write into: calls back when a namespace may have got records
   * from anybody, or lost some, until what it returns is called. It is used for what is allowed
   * everywhere; the tabs of a browser tell each other without it.
   */
  watch?(namespace: string, onChange: () => void): () => void
}
