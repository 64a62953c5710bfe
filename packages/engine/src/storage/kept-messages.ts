import type { JSONValue, UIMessage } from 'ai'
import type { PersistenceHost } from '../persistence.ts'
import { headOf, KEYS, toJson } from './conversation-records.ts'
import type { KeptChange } from './kept-change.ts'
import type { KeptClaims } from './kept-claims.ts'
import { nextPlace, readMessages, type NoteMalformed, type Records } from './read-records.ts'

/** Which messages are stored, part by part. */
export interface KeptMessages {
  /** Takes over what was read, as what needs not be written. */
  take(records: Records, note: NoteMalformed): UIMessage[]
  changed(messageId: string): void
  /** They may be in another order than they are stored in. */
  reordered(): void
  isChanged(): boolean
  /** What changed since the last time, which then counts as written. */
  collect(): KeptChange
}

/** What is stored of a message: where, and the very objects. */
interface KeptMessage {
  readonly place: number
  /** None when a write failed, or part of it was unreadable: nobody knows what of it is there. */
  readonly message: UIMessage | undefined
  /** How many parts may be there. */
  readonly partCount: number
}

export function keptMessages(
  { getMessage, getState }: Pick<PersistenceHost, 'getMessage' | 'getState'>,
  claims: KeptClaims,
): KeptMessages {
  const kept = new Map<string, KeptMessage>()
  let changed = new Set<string>()
  let next = 0
  let isReordered = false
  /** Keys of the places that messages had before. */
  let left: readonly string[] = []

  /** Gives all that follow one which is not in its place a new one, in their order. */
  function reorder(): void {
    isReordered = false
    let last = -1
    for (const id of getState().messageIds) {
      const place = kept.get(id)?.place
      if (place !== undefined && place > last) {
        last = place
        continue
      }
      last = Infinity
      // In the order of the list, whatever changed first.
      changed.delete(id)
      changed.add(id)
      const former = kept.get(id)
      if (!former) continue
      kept.delete(id)
      left = [...left, KEYS.message(former.place), ...partKeys(former.place, 0, former.partCount)]
    }
  }

  return {
    take(records, note) {
      const messages = readMessages(records, note)
      for (const { place, message, partCount } of messages) {
        const isWhole = message.parts.length === partCount
        kept.set(message.id, { place, message: isWhole ? message : undefined, partCount })
      }
      next = nextPlace(records, 'message')
      return messages.map(({ message }) => message)
    },
    changed: (messageId) => void changed.add(messageId),
    reordered() {
      isReordered = true
    },
    isChanged: () => changed.size > 0 || isReordered,
    collect() {
      if (isReordered) reorder()
      const put = new Map<string, JSONValue>()
      const leaving = left
      const remove = [...leaving]
      const written = new Map<string, KeptMessage>()
      const unclaimed = new Map<string, readonly string[]>()
      for (const id of changed) {
        const before = kept.get(id)
        const message = getMessage(id)
        // Came and went: nothing of it was ever written.
        if (!message && !before) continue
        const place = before?.place ?? next++
        const partCount = message?.parts.length ?? 0
        if (message) putMessage(put, place, message, before?.message)
        else remove.push(KEYS.message(place))
        remove.push(...partKeys(place, partCount, before?.partCount ?? 0))
        written.set(id, { place, message, partCount })
        const keys = claims.left(id, message)
        if (keys.length > 0) {
          unclaimed.set(id, keys)
          remove.push(...keys)
        }
      }
      const taken = changed
      changed = new Set()
      return {
        put,
        remove,
        succeeded() {
          left = left.filter((key) => !leaving.includes(key))
          for (const [id, message] of written) {
            if (message.message) kept.set(id, message)
            else kept.delete(id)
          }
          for (const [id, keys] of unclaimed) claims.forget(id, keys)
        },
        failed() {
          // The same place again, whatever has come meanwhile: places are the order of the messages.
          for (const [id, { place, partCount }] of written) {
            const parts = Math.max(partCount, kept.get(id)?.partCount ?? 0)
            kept.set(id, { place, message: undefined, partCount: parts })
          }
          for (const id of taken) changed.add(id)
        },
      }
    },
  }
}

function partKeys(place: number, from: number, to: number): string[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) =>
    KEYS.part(place, from + index),
  )
}

function putMessage(
  put: Map<string, JSONValue>,
  place: number,
  message: UIMessage,
  before: UIMessage | undefined,
): void {
  const isSameHead =
    before?.role === message.role &&
    before.metadata === message.metadata &&
    before.parts.length === message.parts.length
  if (!isSameHead) put.set(KEYS.message(place), headOf(message))
  for (const [index, part] of message.parts.entries()) {
    if (part !== before?.parts[index]) put.set(KEYS.part(place, index), toJson(part))
  }
}
