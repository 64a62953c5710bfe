import type { Draft } from '../drafts.ts'
import { draftRecord, KEYS } from './conversation-records.ts'
import type { KeptChange } from './kept-change.ts'
import { readDrafts, type NoteMalformed, type Records } from './read-records.ts'

/** Which drafts are stored. */
export interface KeptDrafts {
  /** Takes over what was read, as what needs not be written. */
  take(records: Records, note: NoteMalformed): Draft[]
  /** What differs from what is stored. */
  collect(drafts: readonly Draft[]): KeptChange
}

export function keptDrafts(): KeptDrafts {
  /** The very objects; `undefined` where a write failed: it may be there all the same. */
  const kept = new Map<string, Draft | undefined>()
  return {
    take(records, note) {
      const drafts = readDrafts(records, note)
      for (const draft of drafts) kept.set(draft.key, draft)
      return drafts
    },
    collect(drafts) {
      const changed = drafts.filter((draft) => kept.get(draft.key) !== draft)
      const keys = new Set(drafts.map(({ key }) => key))
      const gone = [...kept.keys()].filter((key) => !keys.has(key))
      return {
        put: new Map(changed.map((draft) => [KEYS.draft(draft.key), draftRecord(draft)])),
        remove: gone.map(KEYS.draft),
        succeeded() {
          for (const draft of changed) kept.set(draft.key, draft)
          for (const key of gone) kept.delete(key)
        },
        failed() {
          for (const { key } of changed) kept.set(key, undefined)
        },
      }
    },
  }
}
