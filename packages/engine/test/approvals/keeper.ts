import { crashingDisk, type CrashingDisk } from '../crash/crashing-disk.ts'
import { Life } from '../crash/life.ts'
import { everywhereOf } from '../../src/storage/conversation-records.ts'
import type { ConversationStorage } from '../../src/storage/storage.ts'
import type { StorageContent } from '../../src/storage/memory-storage.ts'

export interface KeeperOptions<MOMENT> {
  /** Tells what is known now. */
  take(): MOMENT
  /** Resolves when a write may take effect. */
  gate(): Promise<void>
}

/** What a crash leaves. */
export interface Left<MOMENT> {
  readonly content: StorageContent
  /** What was known when the last of it was written. */
  readonly moment: MOMENT | undefined
}

interface Opened {
  readonly disk: CrashingDisk
  readonly storage: ConversationStorage
}

/** The disk of a play, through all crashes: remembers what was known when each write was made. */
export class Keeper<MOMENT> {
  readonly #options: KeeperOptions<MOMENT>
  #life = new Life(0)
  #open: Opened
  #kept: MOMENT | undefined
  #strictlyKept: MOMENT | undefined
  #leftAt: MOMENT | undefined
  #found: MOMENT | undefined
  /** The engine was told, or tells itself, that a write failed: what it shows may not be stored yet. */
  isFailing = false

  constructor(options: KeeperOptions<MOMENT>) {
    this.#options = options
    this.#open = this.#begin(new Map())
  }

  get life(): Life {
    return this.#life
  }

  get storage(): ConversationStorage {
    return this.#open.storage
  }

  /** What is known of what a crash would leave now. */
  get moment(): MOMENT | undefined {
    return this.#life.isPowerLost ? this.#strictlyKept : this.#kept
  }

  /** An engine was disposed: what it still writes was known at that moment. */
  left(moment: MOMENT): void {
    this.#leftAt = moment
  }

  /** What was known of what was read last. */
  get found(): MOMENT | undefined {
    return this.#found
  }

  /** The process ends now, if it has not; another one begins with what it leaves. */
  crash(): Left<MOMENT> {
    this.#life.isDead = true
    const content = this.#open.disk.left()
    const { moment } = this
    this.#kept = moment
    this.#strictlyKept = moment
    this.#leftAt = undefined
    this.isFailing = false
    this.#life = new Life(this.#life.number + 1)
    this.#open = this.#begin(content)
    return { content, moment }
  }

  #begin(content: StorageContent): Opened {
    const life = this.#life
    let writing: MOMENT | undefined
    let isStrict = false
    const disk = crashingDisk(content, life, {
      onWritten: () => {
        this.#kept = writing ?? this.#kept
        if (isStrict) this.#strictlyKept = this.#kept
      },
    })
    const { storage } = disk
    // Calls take effect in the order in which they are made, reads too.
    let last: Promise<unknown> = Promise.resolve()
    const inTurn = <RESULT>(task: () => Promise<RESULT>): Promise<RESULT> => {
      const done = last.then(task)
      last = done
      return done
    }
    let early: MOMENT | undefined
    /** What is written again, or only followed by the end of its name, is what it was before. */
    let before: { readonly put: unknown; readonly known: MOMENT | undefined } | undefined
    return {
      disk,
      storage: {
        ...storage,
        read: (namespace, range) =>
          inTurn(async () => {
            const records = await storage.read(namespace, range)
            // It is read last, and from then on it is the one who reads that writes.
            if (namespace === everywhereOf()) this.#found = this.#leftAt ?? this.#kept
            if (namespace === everywhereOf()) this.#leftAt = undefined
            return records
          }),
        write: (namespace, changes, options) => {
          // What holds everywhere is written first, and what belongs to it was read by then.
          const { put } = changes
          const isSame = before !== undefined && (put === undefined || put === before.put)
          const now = isSame ? before?.known : life.isDead ? undefined : this.#options.take()
          const isEverywhere = namespace === everywhereOf()
          // Another one of those begins anew: what followed the last was never written.
          const known = (isEverywhere ? undefined : early) ?? this.#leftAt ?? now
          before = { put, known }
          early = isEverywhere ? known : undefined
          return inTurn(async () => {
            await this.#options.gate()
            writing = isEverywhere ? undefined : known
            isStrict = options?.durability === 'strict'
            return storage.write(namespace, changes, options)
          })
        },
      },
    }
  }
}
