import type { JSONValue, UIMessage } from 'ai'
import type { ConfirmationRecord } from '../confirmation.ts'
import type { Draft } from '../drafts.ts'
import { EngineError, type EngineErrorCode } from '../errors.ts'
import { given } from '../message/given.ts'
import { isRecord, type MessagePart } from '../message/tool-part.ts'
import type { QueuedMessage } from '../state.ts'
import { KEYS } from './conversation-records.ts'
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
  /** How many parts it had when it was written. */
  readonly partCount: number
}

/** The messages among the records, in order; what of one cannot be read is left out. */
export function readMessages(records: Records, note: NoteMalformed = nobody): PlacedMessage[] {
  const messages: PlacedMessage[] = []
  for (const place of placesIn(records, 'message')) {
    const head = records.get(KEYS.message(place))
    if (!isHead(head)) {
      note(KEYS.message(place))
      continue
    }
    const { id, role, metadata, partCount } = head
    const parts: MessagePart[] = []
    for (let index = 0; index < partCount; index++) {
      const part = records.get(KEYS.part(place, index))
      if (isPart(part)) parts.push(part)
      else note(KEYS.part(place, index))
    }
    if (parts.length === 0 && partCount > 0) continue
    messages.push({ place, message: { id, role, ...given({ metadata }), parts }, partCount })
  }
  // What came later under an id that is taken would make all of them unreadable.
  const ids = new Set<string>()
  return messages.filter(({ place, message: { id } }) => {
    const isNew = ids.size < ids.add(id).size
    if (!isNew) note(KEYS.message(place))
    return isNew
  })
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
    queue: readQueue(records.get(KEYS.queue), note),
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
  for (const key of records.keys()) {
    const [first, digits = '', ...rest] = key.split('/')
    if (first === kind && /^\d+$/.test(digits) && rest.length < 2) places.add(Number(digits))
  }
  return [...places].toSorted((one, other) => one - other)
}
