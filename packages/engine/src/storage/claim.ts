import type { JSONValue } from 'ai'
import type { StorageClaim, StorageWriteResult } from './storage.ts'

/** What can be made of a claim. */
export interface ClaimOutcome extends StorageWriteResult {
  readonly claimed: boolean
}

/**
 * Whether a claim can be made, by what its record holds: a value, `undefined` where there is no
 * record, and `'unreadable'` apart, which is no value that anybody can expect.
 */
export function tryClaim(
  { expected }: StorageClaim,
  held: { readonly value: JSONValue | undefined } | 'unreadable',
): ClaimOutcome {
  if (held === 'unreadable') return { claimed: false }
  const { value } = held
  if (value === expected) return { claimed: true }
  return { claimed: false, ...(typeof value === 'string' && { holder: value }) }
}
