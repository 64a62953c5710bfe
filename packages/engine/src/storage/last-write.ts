import { randomId } from '../random-id.ts'
import { KEYS } from './conversation-records.ts'
import type { Records } from './read-records.ts'
import type { StorageChanges, StorageWriteResult } from './storage.ts'

/** What is to be written: what is put, and what is taken away. */
type Changes = Required<Pick<StorageChanges, 'put' | 'remove'>>

/** The name of the last write of a conversation, by which a write follows what is known here. */
export interface LastWrite {
  /** Takes over what was read. */
  take(records: Records): void
  /** Whether what is stored is what was read or written here last. */
  isLast(records: Records): boolean
  /**
   * Makes a write that follows what was read or written here last; `false` when something else does
   * already. Rejects when the store does not know of claims.
   */
  follow(
    changes: Changes,
    write: (changes: StorageChanges) => Promise<StorageWriteResult>,
  ): Promise<boolean>
}

export function lastWrite(): LastWrite {
  /** What the names of all writes from here begin with. */
  const self = `${randomId()}/`
  let count = 0
  let last: string | undefined

  const follow: LastWrite['follow'] = async (changes, write) => {
    const claim = { key: KEYS.lastWrite, expected: last, id: `${self}${++count}` }
    const { claimed, holder } = await write({ ...changes, claim })
    if (claimed === undefined) throw new TypeError('The store does not know of claims.')
    if (!claimed) {
      // A write that failed may have been made all the same.
      if (holder === last || holder?.startsWith(self) !== true) return false
      last = holder
      return follow(changes, write)
    }
    last = claim.id
    // What was begun was taken back: not even a name is left.
    if (changes.put.size === 0 && changes.remove.includes(KEYS.about)) {
      await write({ remove: [KEYS.lastWrite] })
      last = undefined
    }
    return true
  }

  return {
    take(records) {
      const name = records.get(KEYS.lastWrite)
      // One that is no text cannot be expected: then nothing can be written.
      last = typeof name === 'string' ? name : undefined
    },
    isLast(records) {
      const name = records.get(KEYS.lastWrite)
      // A write that failed may have been made all the same.
      return name === last || (typeof name === 'string' && name.startsWith(self))
    },
    follow,
  }
}
