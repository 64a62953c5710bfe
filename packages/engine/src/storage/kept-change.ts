import type { JSONValue } from 'ai'

/** What has to be written of one kind of facts, and how to take note of how that went. */
export interface KeptChange {
  readonly put: ReadonlyMap<string, JSONValue>
  readonly remove: readonly string[]
  succeeded(): void
  /** It may be in the store all the same, or in part of what it was by then: it is written again. */
  failed(): void
}

/** Several changes as one; the later ones are newer. */
export function together(changes: readonly KeptChange[], onFailed: () => void): KeptChange {
  const put = new Map<string, JSONValue>()
  const remove = new Set<string>()
  for (const change of changes) {
    for (const key of change.remove) {
      remove.add(key)
      put.delete(key)
    }
    for (const [key, value] of change.put) put.set(key, value)
  }
  return {
    put,
    remove: [...remove],
    succeeded() {
      for (const { succeeded } of changes) succeeded()
    },
    failed() {
      for (const { failed } of changes) failed()
      onFailed()
    },
  }
}
