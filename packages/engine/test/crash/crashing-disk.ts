import type { ConversationStorage } from '../../src/storage/storage.ts'
import { memoryStorage, type StorageContent } from '../../src/storage/memory-storage.ts'
import { never, type Life } from './life.ts'

/** Writes that fail: number `nth` of a life and those that follow, `times` in all. */
export interface Failing {
  readonly nth: number
  readonly times: number
  /** They take effect all the same: only the answer is lost. */
  readonly isWritten: boolean
}

/** A disk as one life of the app uses it. */
export interface CrashingDisk {
  readonly storage: ConversationStorage
  /** What the life leaves on the disk. */
  left(): StorageContent
  /** Whether a text is in what was ever written and is not lost. */
  hasKept(text: string): boolean
  /** Whether a write failed, and none has succeeded since. */
  readonly isFailing: boolean
}

export interface DiskOptions {
  readonly failing?: Failing | undefined
  /** Milliseconds that a write takes, at the end of which it takes effect. Default 0: at once. */
  readonly writeMs?: number | undefined
  /** A write has taken effect; nothing else has happened since. */
  readonly onWritten?: () => void
}

/** Opens what an earlier life left. */
export function crashingDisk(
  content: StorageContent,
  life: Life,
  { failing, writeMs = 0, onWritten }: DiskOptions = {},
): CrashingDisk {
  const disk = memoryStorage(content)
  const written = [...content.values()].map((records) => JSON.stringify([...records.values()]))
  let strict = disk.snapshot()
  let strictlyWritten = written.length
  let isFailing = false

  return {
    get isFailing() {
      return isFailing
    },
    left: () => (life.isPowerLost ? strict : disk.snapshot()),
    hasKept: (text) =>
      written
        .slice(0, life.isPowerLost ? strictlyWritten : undefined)
        .some((one) => one.includes(text)),
    storage: {
      claims: 'store',
      read: (...call) => (life.isDead ? never() : disk.read(...call)),
      list: (...call) => (life.isDead ? never() : disk.list(...call)),
      remove: (...call) => (life.isDead ? never() : disk.remove(...call)),
      removeAll: (prefix) => (life.isDead ? never() : disk.removeAll(prefix)),
      fence: (namespace) => (life.isDead ? never() : disk.fence(namespace)),
      async write(namespace, changes, options) {
        if (life.isDead || life.isHung) return never()
        const nth = ++life.counts.write
        if (options?.durability !== 'strict') life.relaxedWrites.push(nth)
        if (life.strikes('write', 'before') || life.hangs()) return never()
        const fails =
          failing !== undefined && nth >= failing.nth && nth < failing.nth + failing.times
        isFailing ||= fails
        if (writeMs > 0) await new Promise((resolve) => void setTimeout(resolve, writeMs))
        if (life.isDead) return never()
        if (fails && !failing.isWritten) throw new Error('The disk is full.')
        const result = await disk.write(namespace, changes, options)
        // A write that follows another one than it names is refused: nothing of it is there.
        if (result.claimed !== false) {
          written.push(JSON.stringify([...(changes.put?.values() ?? [])]))
          if (options?.durability === 'strict') {
            strict = disk.snapshot()
            strictlyWritten = written.length
          }
          onWritten?.()
        }
        if (life.strikes('write', 'after') || life.strikes('write', 'power')) return never()
        if (fails) throw new Error('The disk does not answer.')
        isFailing = false
        return result
      },
    },
  }
}
