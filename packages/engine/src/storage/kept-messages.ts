import type { JSONValue, UIMessage } from 'ai'
import { headOf, KEYS, toJson } from './conversation-records.ts'
import type { KeptChange } from './kept-change.ts'
import type { KeptClaims } from './kept-claims.ts'
import { nextPlace, readMessages, type NoteMalformed, type Records } from './read-records.ts'

/** Which messages are stored, part by part. */
export interface KeptMessages {
  /** Takes over what was read, as what needs not be written. */
  take(records: Records, note: NoteMalformed): UIMessage[]
  changed(messageId: string): void
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
  getMessage: (messageId: string) => UIMessage | undefined,
  claims: KeptClaims,
): KeptMessages {
  const kept = new Map<string, KeptMessage>()
  let changed = new Set<string>()
  let next = 0
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
    isChanged: () => changed.size > 0,
    collect() {
      const put = new Map<string, JSONValue>()
      const remove: string[] = []
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
        for (let index = partCount; index < (before?.partCount ?? 0); index++) {
          remove.push(KEYS.part(place, index))
        }
        written.set(id, { place, message, partCount })
        const left = claims.left(id, message)
        if (left.length > 0) {
          unclaimed.set(id, left)
          remove.push(...left)
        }
      }
      const taken = changed
      changed = new Set()
      return {
        put,
        remove,
        succeeded() {
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
