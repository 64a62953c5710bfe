import type { JSONValue, UIMessage } from 'ai'
import { given } from '../message/given.ts'
import { KEYS } from './conversation-records.ts'
import {
  readPlaced,
  shownOf,
  type NoteMalformed,
  type PlacedMessage,
  type Records,
} from './read-records.ts'
import type { StorageRange } from './storage.ts'

/** The messages of a conversation, read from the last to the first. */
export interface MessagePages {
  /** Reads on until what is shown is enough, or, without that, all that is left at once. */
  more(
    isEnough: ((shown: readonly UIMessage[]) => boolean) | undefined,
    note: NoteMalformed,
  ): Promise<MessagePage>
  /** The place after the last one that any record has. */
  nextPlace(): number
}

/** What was read. */
export interface MessagePage {
  /** What this read added, by their places. */
  readonly added: readonly PlacedMessage[]
  /** All messages that are shown so far, in order. */
  readonly shown: readonly UIMessage[]
  /** Nothing is left to read. */
  readonly isAll: boolean
}

const PREFIX = KEYS.messages
const PLACE = /^message\/(\d+)/

/**
 * @param leaf the id of the message at the end of what is shown
 * @param keysPerRead how many records one read of the store takes
 */
export function messagePages(
  read: (range: StorageRange) => Promise<Records>,
  leaf: JSONValue | undefined,
  keysPerRead: number,
): MessagePages {
  let placed: readonly PlacedMessage[] = []
  const ids = new Set<string>()
  /** Records of a message whose head was not read: it comes last. */
  let rest: Records = new Map()
  let after: string | undefined
  let isAll = false
  let next = 0

  async function readOn(note: NoteMalformed, limit: number | undefined): Promise<PlacedMessage[]> {
    const records = await read({ prefix: PREFIX, descending: true, ...given({ after, limit }) })
    // Only nothing at all says that nothing follows: what is unreadable is left out.
    isAll = records.size === 0 || limit === undefined
    after = [...records.keys()].at(-1) ?? after
    for (const key of records.keys()) next = Math.max(next, (placeOf(key) ?? -1) + 1)
    const cut = isAll ? undefined : placeOf(after ?? '')
    const all = [...rest, ...records]
    rest = new Map(all.filter(([key]) => placeOf(key) === cut))
    const whole = new Map(all.filter(([key]) => placeOf(key) !== cut))
    // An id that is taken is left out, as in any other read of a conversation.
    return readPlaced(whole, note).filter(({ place, message: { id } }) => {
      const isNew = ids.size < ids.add(id).size
      if (!isNew) note(KEYS.message(place))
      return isNew
    })
  }

  return {
    async more(isEnough, note) {
      let added: PlacedMessage[] = []
      const limit = isEnough && keysPerRead
      let shown: readonly UIMessage[]
      let isDone: boolean
      do {
        added = [...(await readOn(note, limit)), ...added]
        shown = isAll || added.length > 0 ? shownOf([...added, ...placed], leaf, isAll) : []
        isDone = isAll || isEnough?.(shown) === true
      } while (!isDone)
      placed = [...added, ...placed]
      return { added, shown, isAll }
    },
    nextPlace: () => next,
  }
}

function placeOf(key: string): number | undefined {
  const digits = PLACE.exec(key)?.[1]
  return digits === undefined ? undefined : Number(digits)
}
