import type { JSONValue } from 'ai'
import type { SharingEnvironment } from '../sharing/environment.ts'

/** Records to write and to take away, by key. A key that is in both is written. */
export interface StorageChanges {
  readonly put?: ReadonlyMap<string, JSONValue>
  readonly remove?: readonly string[]
  /** Makes the write one that only the first of several can make. */
  readonly claim?: StorageClaim
}

/**
 * A compare-and-set of one record, which is in neither `put` nor `remove`: it becomes the text `id`
 * together with the rest of the write, if it holds the text `expected`, or is not there
 * (`undefined`). A record that is there and unreadable holds something else.
 */
export interface StorageClaim {
  readonly key: string
  readonly expected: string | undefined
  readonly id: string
}

/** What became of a write. */
export interface StorageWriteResult {
  /**
   * Only of a write with a claim: whether it was made. `false`: somebody else has made it, and
   * nothing of the write was written.
   */
  readonly claimed?: boolean
  /** The text that the record of a claim that was not made holds, where there is one. */
  readonly holder?: string
}

/** How much a write must survive. */
export interface StorageWriteOptions {
  /**
   * - `strict` on disk when it resolves, as far as the store can say that: for what must be known
   *   after a crash before something is done
   * - `relaxed` (default) a crash of the machine may lose it, one of the page does not
   */
  readonly durability?: 'strict' | 'relaxed' | undefined
  /**
   * The token of who holds the namespace. One below the greatest that the store knows of is that of a
   * former holder: the write is refused. Without it anybody may write.
   */
  readonly fence?: number | undefined
}

/** Which records of a namespace are read. */
export interface StorageRange {
  /** Those whose keys begin with this. */
  readonly prefix?: string | undefined
  /** Those that follow this key. */
  readonly after?: string | undefined
  /** So many, and fewer only when nothing follows. */
  readonly limit?: number | undefined
  /** From the last to the first. */
  readonly descending?: boolean | undefined
}

/** Which of the namespaces that have a record are listed. */
export interface StorageListRange {
  /** Those that begin with this. */
  readonly prefix?: string | undefined
  /** Those with the greatest number in this field of the record first. Default: by namespace. */
  readonly by?: string | undefined
  /** Those that follow this one: a namespace, and, with `by`, what its record had in that field. */
  readonly after?: StorageListPlace | undefined
  /** So many, and fewer only when nothing follows. */
  readonly limit?: number | undefined
}

/** A place in a list. */
export interface StorageListPlace {
  readonly namespace: string
  /** `undefined` when it had no number there: such records come last. */
  readonly value?: number | undefined
}

/**
 * Between whom claims decide: all that use the `store`, whatever page, tab or process they are in, or
 * only those of one `process` (or page), so that no second one may use the store at the same time.
 */
export type StorageClaims = 'store' | 'process'

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
 * - What is read is in the order of the keys, and what is listed in that of the namespaces: for ASCII
 *   that of their characters; for others any, but always the same one.
 * - Of all writes that claim a record with the same `expected`, one is made. A store that cannot keep
 *   others out for that moment rejects such a write if it is `strict`.
 * - The greatest token of a namespace is remembered, also when the namespace is taken away. What is
 *   refused for an older one changes nothing, and rejects with an `EngineError` (`fenced`).
 * - A method that fails rejects, with whatever it likes; nothing else is lost by that, and the calls
 *   after it are not held up.
 */
export interface ConversationStorage {
  /** Between whom its claims decide. */
  readonly claims: StorageClaims
  /**
   * What all adapters of one store have in common within a process, where several may be made: by it
   * those who have a conversation open know of each other. Default: the adapter itself.
   */
  readonly store?: object
  /** It is gone with its process, so that no other one can ever use it. */
  readonly endsWithProcess?: boolean
  /**
   * What all who use it share conversations by, where they are not only the tabs of one browser: its own
   * locks would not keep another browser out.
   */
  readonly sharing?: SharingEnvironment
  /**
   * The records of a namespace, all or those of a range; empty when there is none. A record that is
   * unreadable is left out.
   */
  read(namespace: string, range?: StorageRange): Promise<ReadonlyMap<string, JSONValue>>
  write(
    namespace: string,
    changes: StorageChanges,
    options?: StorageWriteOptions,
  ): Promise<StorageWriteResult>
  /** Takes a whole namespace away. */
  remove(namespace: string, options?: Pick<StorageWriteOptions, 'fence'>): Promise<void>
  /** Takes away all namespaces that begin with this. */
  removeAll(prefix: string): Promise<void>
  /** The record of this key in every namespace that has one, or in those of a range, by namespace. */
  list(key: string, range?: StorageListRange): Promise<ReadonlyMap<string, JSONValue>>
  /**
   * For a store that can look for a text without handing all over that it has: the namespaces that begin with
   * `prefix` and may have a record with this text in it, whatever its case. None that has is left out, but while
   * that text streams. `undefined` where it cannot right now.
   */
  search?(text: string, prefix: string): Promise<readonly string[]> | undefined
  /**
   * Gives the next token of a namespace, an integer above all before: from now on only who has it
   * holds the namespace. To be asked for by who has its lock.
   */
  fence(namespace: string): Promise<number>
  /**
   * For a store that other processes write into: calls back when a namespace may have got records
   * from anybody, or lost some, until what it returns is called. It is used for what is allowed
   * everywhere; the tabs of a browser tell each other without it.
   */
  watch?(namespace: string, onChange: () => void): () => void
}
