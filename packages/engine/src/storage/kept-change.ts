import type { JSONValue } from 'ai'

/** What has to be written of one kind of facts, and how to take note of how that went. */
export interface KeptChange {
  readonly put: ReadonlyMap<string, JSONValue>
  readonly remove: readonly string[]
  succeeded(): void
  /** It may be in the store all the same, or in part of what it was by then: it is written again. */
  failed(): void
}
