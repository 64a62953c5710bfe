import type { JSONValue } from 'ai'
import type { ConfirmationRecord } from '../confirmation.ts'
import { everywhereAmong, KEYS, toJson } from './conversation-records.ts'
import type { KeptChange } from './kept-change.ts'
import { nextPlace, readConfirmations, type NoteMalformed, type Records } from './read-records.ts'

/** Which confirmations are stored. They are only added to. */
export interface KeptConfirmations {
  /** Takes over what was read, of this conversation and of what holds everywhere. */
  take(
    records: Records,
    everywhere: readonly ConfirmationRecord[],
    note: NoteMalformed,
  ): ConfirmationRecord[]
  /** Takes note of records of other conversations, which these have stored. */
  know(records: readonly ConfirmationRecord[]): void
  /** Those that are not stored yet; apart, by their ids, those among them that hold everywhere. */
  collect(
    confirmations: readonly ConfirmationRecord[],
  ): KeptChange & { readonly everywhere: ReadonlyMap<string, JSONValue> }
}

export function keptConfirmations(): KeptConfirmations {
  const kept = new Set<string>()
  let next = 0
  const isNew = ({ id }: ConfirmationRecord) => !kept.has(id)
  return {
    take(records, everywhere, note) {
      const own = readConfirmations(records, note)
      for (const { id } of own) kept.add(id)
      next = nextPlace(records, 'confirmation')
      const others = everywhere.filter(isNew)
      for (const { id } of others) kept.add(id)
      return [...own, ...others]
    },
    know(records) {
      for (const { id } of records) kept.add(id)
    },
    collect(confirmations) {
      const added = confirmations.filter(isNew)
      const everywhere = added.length > 0 ? everywhereAmong(confirmations).filter(isNew) : []
      return {
        put: new Map(
          added.map((record, index) => [KEYS.confirmation(next + index), toJson(record)]),
        ),
        remove: [],
        everywhere: new Map(everywhere.map((record) => [record.id, toJson(record)])),
        succeeded() {
          for (const { id } of added) kept.add(id)
          next += added.length
        },
        failed: () => undefined,
      }
    },
  }
}
