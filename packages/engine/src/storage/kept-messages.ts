import type { JSONValue, UIMessage } from 'ai'
import type { PersistenceHost } from '../persistence.ts'
import { headOf, KEYS } from './conversation-records.ts'
import type { KeptChange } from './kept-change.ts'
import { keptPieces, type KeptPieces } from './kept-pieces.ts'
import type { PlacedMessage } from './read-records.ts'

/** Which messages are stored, part by part. */
export interface KeptMessages {
  /** Takes over what was read, as what needs not be written. */
  take(read: TakenMessages): void
  changed(messageId: string): void
  /** They may be in another order than they are stored in. */
  reordered(): void
  isChanged(): boolean
  /** What changed since the last time, which then counts as written. */
  collect(): KeptChange
}

/** What was read of the messages. */
export interface TakenMessages {
  readonly placed: readonly PlacedMessage[]
  /** The place of the next new one. */
  readonly next: number
  /** Where it was read. */
  readonly leaf?: JSONValue | undefined
}

/** What is stored of a message: where, after which, and the very objects. */
interface KeptMessage {
  readonly place: number
  readonly parent: string | null | undefined
  /** None when a write failed, or part of it was unreadable: nobody knows what of it is there. */
  readonly message: UIMessage | undefined
  /** How many parts may be there. */
  readonly partCount: number
  readonly pieces: KeptPieces
}

export function keptMessages({
  getMessage,
  getState,
}: Pick<PersistenceHost, 'getMessage' | 'getState'>): KeptMessages {
  const kept = new Map<string, KeptMessage>()
  let changed = new Set<string>()
  let next = 0
  /** The ids by which the parents below are; none before the first look. */
  let ordered: readonly string[] | undefined
  let parents = new Map<string, string | null>()
  /** The one that is stored; `null` when that is not known. */
  let leaf: string | undefined | null
  let isReordered = false

  /** Looks which message follows which; those that follow another one than before have changed. */
  function order(ids: readonly string[]): void {
    if (ids === ordered) return
    ordered = ids
    // What stands before the first one may not have been read: it still follows that.
    const beforeAll = (id: string) =>
      (getState().earlier ? kept.get(id)?.parent : undefined) ?? null
    parents = new Map(ids.map((id, index) => [id, ids[index - 1] ?? beforeAll(id)]))
    for (const [id, { parent }] of kept) {
      if (parents.has(id) && parents.get(id) !== parent) changed.add(id)
    }
  }

  return {
    take({ placed, next: free, ...read }) {
      for (const { place, message, parent, partCount, texts, isWhole } of placed) {
        const pieces = keptPieces(place, texts)
        const shown = isWhole ? message : undefined
        kept.set(message.id, { place, parent, message: shown, partCount, pieces })
      }
      next = Math.max(next, free)
      if ('leaf' in read) leaf = typeof read.leaf === 'string' ? read.leaf : undefined
    },
    changed: (messageId) => void changed.add(messageId),
    reordered() {
      isReordered = true
    },
    isChanged: () => changed.size > 0 || isReordered,
    collect() {
      const put = new Map<string, JSONValue>()
      const remove: string[] = []
      const written = new Map<string, KeptMessage>()
      const ids = getState().messageIds
      const isDue = changed.size > 0 || isReordered
      isReordered = false
      if (isDue) order(ids)
      for (const id of changed) {
        const before = kept.get(id)
        const message = getMessage(id)
        // Came and went: nothing of it was ever written.
        if (!message && !before) continue
        const place = before?.place ?? next++
        const partCount = message?.parts.length ?? 0
        const parent = parents.get(id) ?? null
        const pieces = before?.pieces ?? keptPieces(place)
        if (message) {
          if (!isSameHead(before, message, parent))
            put.set(KEYS.message(place), headOf(message, parent))
        } else remove.push(KEYS.message(place))
        const change = pieces.collect(before?.message?.parts, message?.parts ?? [])
        for (const [key, value] of change.put) put.set(key, value)
        remove.push(...change.remove)
        for (let index = partCount; index < (before?.partCount ?? 0); index++) {
          remove.push(KEYS.part(place, index))
        }
        written.set(id, { place, parent, message, partCount, pieces: change.next })
      }
      const last = ids.at(-1)
      const isNewLeaf = isDue && last !== leaf
      if (isNewLeaf && last === undefined) remove.push(KEYS.leaf)
      else if (isNewLeaf && last !== undefined) put.set(KEYS.leaf, last)
      const taken = changed
      changed = new Set()
      return {
        put,
        remove,
        succeeded() {
          if (isNewLeaf) leaf = last
          for (const [id, message] of written) {
            if (message.message) kept.set(id, message)
            else kept.delete(id)
          }
        },
        failed() {
          // What is there now is not known.
          if (isNewLeaf) leaf = null
          isReordered = isDue
          // The same place again, whatever has come meanwhile: places are the order of the messages.
          for (const [id, { place, parent, partCount, pieces }] of written) {
            const before = kept.get(id)
            const parts = Math.max(partCount, before?.partCount ?? 0)
            const all = before ? pieces.with(before.pieces) : pieces
            kept.set(id, { place, parent, message: undefined, partCount: parts, pieces: all })
          }
          for (const id of taken) changed.add(id)
        },
      }
    },
  }
}

function isSameHead(
  before: KeptMessage | undefined,
  message: UIMessage,
  parent: string | null,
): boolean {
  const stored = before?.message
  return (
    stored?.role === message.role &&
    stored.metadata === message.metadata &&
    stored.parts.length === message.parts.length &&
    before?.parent === parent
  )
}
