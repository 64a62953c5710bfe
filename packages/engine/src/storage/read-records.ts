import type { JSONValue, UIMessage } from 'ai'
import type { ConfirmationRecord } from '../confirmation.ts'
import type { Draft } from '../drafts.ts'
import { EngineError, type EngineErrorCode } from '../errors.ts'
import { given } from '../message/given.ts'
import { growingTextOf, withGrowingText } from '../message/growing-part.ts'
import { isRecord, type MessagePart } from '../message/tool-part.ts'
import type { QueuedMessage } from '../state.ts'
import { KEYS } from './conversation-records.ts'
import type { TextInPieces } from './kept-pieces.ts'
import {
  isConfirmation,
  isHead,
  isPart,
  isQueued,
  isSubject,
  isTurnRecord,
} from './record-guards.ts'
import type { StoredConversation } from './stored-conversation.ts'

/** The records of a conversation, by key. */
export type Records = ReadonlyMap<string, JSONValue>

/** Hears of every record that is malformed, or missing, and left out. */
export type NoteMalformed = (key: string) => void

const nobody: NoteMalformed = () => undefined

/** A message as it was read, and where it stands. */
export interface PlacedMessage {
  readonly place: number
  readonly message: UIMessage
  /** The id of the message before it; `null`: it is the first. */
  readonly parent: string | null | undefined
  /** How many parts it had when it was written. */
  readonly partCount: number
  /** The texts that are in pieces, by the index of the part. */
  readonly texts: ReadonlyMap<number, TextInPieces>
  /** Whether all of it could be read. */
  readonly isWhole: boolean
}

/** The messages that are shown, in order; what of one cannot be read is left out. */
export function readMessages(records: Records, note: NoteMalformed = nobody): UIMessage[] {
  return shownOf(readPlaced(records, note), records.get(KEYS.leaf))
}

/**
 * Those on the way to the leaf: each has the one before it as its parent.
 *
 * @param isAll `false` when the way may go on through messages that were not read yet
 */
export function shownOf(
  placed: readonly PlacedMessage[],
  leaf: JSONValue | undefined,
  isAll = true,
): UIMessage[] {
  const indexes = new Map(placed.map(({ message: { id } }, index) => [id, index]))
  const shown = new Set<UIMessage>()
  const missing = (index: number): number => (isAll ? index : -1)
  let index = indexes.get(String(leaf)) ?? missing(placed.length - 1)
  for (let one = placed[index]; one && !shown.has(one.message); one = placed[index]) {
    shown.add(one.message)
    if (one.parent === null) break
    // One that is not there, or unreadable, is not to hide all before it.
    index = indexes.get(String(one.parent)) ?? missing(index - 1)
  }
  return [...shown].toReversed()
}

/** All messages among the records, by their places; what of one cannot be read is left out. */
export function readPlaced(records: Records, note: NoteMalformed = nobody): PlacedMessage[] {
  const messages: PlacedMessage[] = []
  const pieces = countPieces(records)
  for (const place of placesIn(records, 'message')) {
    const head = records.get(KEYS.message(place))
    if (!isHead(head)) {
      note(KEYS.message(place))
      continue
    }
    const { id, role, metadata, partCount, parent } = head
    const parts: MessagePart[] = []
    const pieceCounts = pieces.get(place) ?? new Map<number, number>()
    const texts = new Map<number, TextInPieces>()
    let isWhole = true
    const noteIn = (key: string): void => {
      isWhole = false
      note(key)
    }
    for (const [index, count] of pieceCounts) texts.set(index, { count, begun: 0 })
    for (let index = 0; index < partCount; index++) {
      const part = records.get(KEYS.part(place, index))
      const count = pieceCounts.get(index) ?? 0
      if (!isPart(part)) noteIn(KEYS.part(place, index))
      else if (count === 0) parts.push(part)
      else {
        texts.set(index, { count, begun: growingTextOf(part)?.length ?? 0 })
        const keys = Array.from({ length: count }, (_, piece) => KEYS.piece(place, index, piece))
        parts.push(withPieces(part, keys, records, noteIn))
      }
    }
    if (parts.length === 0 && partCount > 0) continue
    const message = { id, role, ...given({ metadata }), parts }
    messages.push({ place, message, parent, partCount, texts, isWhole })
  }
  // What came later under an id that is taken would make all of them unreadable.
  const ids = new Set<string>()
  return messages.filter(({ place, message: { id } }) => {
    const isNew = ids.size < ids.add(id).size
    if (!isNew) note(KEYS.message(place))
    return isNew
  })
}

/** A text with what came to it later, up to the first piece that cannot be read. */
function withPieces(
  part: MessagePart,
  keys: readonly string[],
  records: Records,
  note: NoteMalformed,
): MessagePart {
  const beginning = growingTextOf(part)
  if (beginning === undefined) return part
  const texts: string[] = []
  for (const key of keys) {
    const text = records.get(key)
    if (typeof text !== 'string') {
      note(key)
      break
    }
    texts.push(text)
  }
  return withGrowingText(part, beginning + texts.join(''))
}

const PIECE = /^message\/(\d+)\/(\d+)\/(\d+)$/

/** How many pieces the records name, by place of the message and index of the part. */
function countPieces(records: Records): Map<number, Map<number, number>> {
  const counts = new Map<number, Map<number, number>>()
  for (const key of records.keys()) {
    const [, ...numbers] = PIECE.exec(key) ?? []
    const [place, index, piece] = numbers.map(Number)
    if (place === undefined || index === undefined || piece === undefined) continue
    const ofMessage = counts.get(place) ?? new Map<number, number>()
    ofMessage.set(index, Math.max(ofMessage.get(index) ?? 0, piece + 1))
    counts.set(place, ofMessage)
  }
  return counts
}

/** The confirmations among the records, in order. */
export function readConfirmations(
  records: Records,
  note: NoteMalformed = nobody,
): ConfirmationRecord[] {
  const confirmations: ConfirmationRecord[] = []
  const count = nextPlace(records, 'confirmation')
  for (let index = 0; index < count; index++) {
    const record = records.get(KEYS.confirmation(index))
    if (isConfirmation(record)) confirmations.push(record)
    else note(KEYS.confirmation(index))
  }
  return confirmations
}

/** The confirmations whose policies hold everywhere, oldest first: their keys have no order. */
export function readEverywhere(records: Records): ConfirmationRecord[] {
  return [...records.values()]
    .filter((record) => isConfirmation(record))
    .toSorted((one, other) => one.at - other.at)
}

/** Where the conversation stood, and what was to follow. */
export function readFacts(
  records: Records,
  note: NoteMalformed = nobody,
): Pick<StoredConversation, 'requestState' | 'processingState' | 'turn' | 'error' | 'queue'> {
  const record = records.get(KEYS.turn)
  const isWhole = isTurnRecord(record)
  if (record !== undefined && !isWhole) note(KEYS.turn)
  const { requestState, processingState, turn, error } = isWhole
    ? record
    : { requestState: 'idle' as const }
  return {
    requestState,
    processingState,
    turn,
    error: readError(error),
    queue: withHeld(readQueue(records.get(KEYS.queue), note), records, note),
  }
}

function readQueue(record: JSONValue | undefined, note: NoteMalformed): QueuedMessage[] {
  const items: readonly unknown[] = Array.isArray(record) ? record : []
  const queue = items.filter((item) => isQueued(item))
  if (record !== undefined && (!Array.isArray(record) || queue.length < items.length)) {
    note(KEYS.queue)
  }
  return queue
}

function withHeld(
  queue: QueuedMessage[],
  records: ReadonlyMap<string, unknown>,
  note: NoteMalformed,
): QueuedMessage[] {
  const known = new Set(queue.map(({ id }) => id))
  for (const [key, item] of records) {
    if (!key.startsWith(KEYS.held(''))) continue
    if (!isQueued(item)) note(key)
    else if (!known.has(item.id)) queue.push({ ...item, held: true })
  }
  return queue
}

/** The drafts among the records. */
export function readDrafts(records: Records, note: NoteMalformed = nobody): Draft[] {
  const drafts: Draft[] = []
  const prefix = KEYS.draft('')
  for (const [name, record] of records) {
    if (!name.startsWith(prefix)) continue
    const key = name.slice(prefix.length)
    const { value, about } = isRecord(record) ? record : {}
    if (key === '' || value === undefined || (about !== undefined && !isSubject(about))) note(name)
    // What was read is JSON.
    else drafts.push({ key, value: value as JSONValue, ...(about && { about }) })
  }
  return drafts
}

function readError(error: unknown): EngineError | undefined {
  if (!isRecord(error)) return undefined
  const { code, message, retryable, details } = error
  return new EngineError(code as EngineErrorCode, String(message), {
    retryable: retryable === true,
    ...(isRecord(details) && { details }),
  })
}

/** The place after the last one that any record of a kind has, also an unreadable one. */
export function nextPlace(records: Records, kind: 'message' | 'confirmation'): number {
  return (placesIn(records, kind).at(-1) ?? -1) + 1
}

/** The places that records of a kind name, in order. */
function placesIn(records: Records, kind: 'message' | 'confirmation'): number[] {
  const places = new Set<number>()
  const name = new RegExp(`^${kind}/(\\d+)(?:/[^/]*)?$`)
  for (const key of records.keys()) {
    const digits = name.exec(key)?.[1]
    if (digits !== undefined) places.add(Number(digits))
  }
  return [...places].toSorted((one, other) => one - other)
}
