import type { UIMessage } from 'ai'
import { toolCallsOf } from '../message/tool-calls.ts'
import type { EarlierMessages } from '../state.ts'
import { isSummary, KEYS } from './conversation-records.ts'
import { messagePages, type MessagePage, type MessagePages } from './message-pages.ts'
import {
  readDrafts,
  readFacts,
  type NoteMalformed,
  type PlacedMessage,
  type Records,
} from './read-records.ts'
import { endOfPrefix } from './ranges.ts'
import type { StorageRange } from './storage.ts'

/** The end of a conversation in which nothing is open, with all that is stored beside its messages. */
export interface ConversationEnd {
  /** All records but those of messages. */
  readonly records: Records
  readonly placed: readonly PlacedMessage[]
  readonly next: number
  readonly shown: readonly UIMessage[]
  readonly earlier: EarlierMessages | undefined
  /** Reads what is left. */
  readonly pages: EarlierPages
}

/** The messages before those that were read. */
export interface EarlierPages {
  /** What is stored beside the messages: read anew, it tells whether these are of the same moment. */
  more(
    isAll: boolean,
    note: NoteMalformed,
  ): Promise<
    Pick<MessagePage, 'added'> & {
      readonly shown: readonly UIMessage[]
      readonly earlier: EarlierMessages | undefined
      readonly next: number
    }
  >
}

/** About as many records as a message has: its head, and its parts. */
const RECORDS_PER_MESSAGE = 4

/**
 * Reads the last messages of a conversation, down to the beginning of a turn. `undefined` when all of
 * it has to be read: something is open or waits in it, it is of another version, it is short, or it
 * became another one meanwhile. Decisions, drafts and the facts are read whole.
 *
 * @param size how many messages at least
 */
export async function readAtRest(
  read: (range: StorageRange) => Promise<Records>,
  { size, version, note }: { size: number; version: number; note: NoteMalformed },
): Promise<ConversationEnd | undefined> {
  // What names the last write comes first and last: the messages are of one moment with it.
  const records = new Map([
    ...(await read({ after: KEYS.messages, descending: true })),
    ...(await read({ after: endOfPrefix(KEYS.messages) })),
  ])
  const about = records.get(KEYS.about)
  if (!isSummary(about) || about.version !== version || about.messageCount <= size) return undefined
  if (!isAtRest(records) || about.waitingCount > 0) return undefined
  const subjects = readDrafts(records).flatMap(({ about: subject }) => subject?.messageId ?? [])
  const reader = messagePages(read, records.get(KEYS.leaf), size * RECORDS_PER_MESSAGE)
  const page = await reader.more((shown) => {
    const end = endOf(shown, size)
    const ids = new Set(end?.map(({ id }) => id))
    return end !== undefined && subjects.every((id) => ids.has(id))
  }, note)
  const { added: placed, isAll } = page
  const shown = (isAll ? undefined : endOf(page.shown, size)) ?? page.shown
  const calls = shown.at(-1)
  if (calls && toolCallsOf(calls).some(({ part }) => !part.state.startsWith('output-'))) {
    return undefined
  }
  const again = await read({ prefix: KEYS.lastWrite })
  if (again.get(KEYS.lastWrite) !== records.get(KEYS.lastWrite)) return undefined
  const { title, messageCount } = about
  const earlierAfter = (count: number, isEnd: boolean): EarlierMessages | undefined =>
    isEnd ? undefined : { count: Math.max(messageCount - count, 0), title }
  return {
    records,
    placed,
    next: reader.nextPlace(),
    shown,
    earlier: earlierAfter(shown.length, isAll),
    pages: earlierPages(reader, { size, count: shown.length, earlierAfter }),
  }
}

function earlierPages(
  reader: MessagePages,
  {
    size,
    count,
    earlierAfter,
  }: {
    size: number
    count: number
    earlierAfter: (count: number, isEnd: boolean) => EarlierMessages | undefined
  },
): EarlierPages {
  let known = count
  return {
    async more(isAll, note) {
      const wanted = known + size
      const isEnough = (shown: readonly UIMessage[]) => endOf(shown, wanted) !== undefined
      const page = await reader.more(isAll ? undefined : isEnough, note)
      const { added, isAll: isEnd } = page
      const all = (isEnd ? undefined : endOf(page.shown, wanted)) ?? page.shown
      const shown = all.slice(0, all.length - known)
      known = all.length
      return { added, shown, earlier: earlierAfter(known, isEnd), next: reader.nextPlace() }
    },
  }
}

/** The last messages, so many at least, from the beginning of a turn on; `undefined` when more has to be read. */
function endOf(shown: readonly UIMessage[], size: number): readonly UIMessage[] | undefined {
  const start = shown.slice(0, Math.max(shown.length - size + 1, 0)).findLastIndex(isOpening)
  return start === -1 ? undefined : shown.slice(start)
}

function isOpening({ role }: UIMessage): boolean {
  return role === 'user'
}

function isAtRest(records: Records): boolean {
  const { requestState, queue } = readFacts(records)
  return ['idle', 'completed', 'aborted'].includes(requestState) && queue.length === 0
}
