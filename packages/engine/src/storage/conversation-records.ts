import type { JSONValue, UIMessage } from 'ai'
import { isDecision, type ConfirmationRecord } from '../confirmation.ts'
import type { Draft, DraftSubject } from '../drafts.ts'
import { EngineError, type EngineErrorCode } from '../errors.ts'
import { given } from '../message/given.ts'
import { textOf } from '../message/message-input.ts'
import { isRecord, isWaiting } from '../message/tool-part.ts'
import { toolCallsOf } from '../message/tool-calls.ts'
import type { StoredConversation } from '../persistence.ts'
import type { ProcessingState } from '../state.ts'

/** The version of the records below. A newer one is left alone; there is no older one yet. */
export const RECORDS_VERSION = 1

/** What a list of conversations shows; the record `about` of each. Times are ms since the epoch. */
export interface ConversationSummary {
  readonly version: number
  readonly createdAt: number
  readonly updatedAt: number
  /** The beginning of the first message of a user. */
  readonly title: string
  readonly messageCount: number
  readonly requestState: StoredConversation['requestState']
  /** How many calls wait for a person. */
  readonly waitingCount: number
}

/** Keys of the records of a conversation. */
export const KEYS = {
  about: 'about',
  /** A title that a person gave. */
  title: 'title',
  /** How many messages nobody has looked at. */
  unread: 'unread',
  turn: 'turn',
  queue: 'queue',
  message: (place: number) => `message/${padded(place)}`,
  part: (place: number, index: number) => `message/${padded(place)}/${index}`,
  confirmation: (index: number) => `confirmation/${padded(index)}`,
  draft: (key: string) => `draft/${key}`,
} as const

/** The namespace of a conversation. */
export function namespaceOf(conversationId: string): string {
  return `conversation/${conversationId}`
}

/** The id of the conversation in a namespace, if it is one of a conversation. */
export function idOfNamespace(namespace: string): string | undefined {
  const prefix = namespaceOf('')
  return namespace.startsWith(prefix) ? namespace.slice(prefix.length) : undefined
}

/** The namespace that remembers which conversations were deleted: when, by their id. */
export const REMOVED = 'removed'

/** The namespace of the confirmations whose policies hold everywhere, each by its id. */
export const EVERYWHERE = 'everywhere'

/** A message but its parts. */
interface MessageHead {
  readonly id: string
  readonly role: UIMessage['role']
  readonly metadata?: unknown
  readonly partCount: number
}

/** A message as it was read, and where it stands. */
export interface PlacedMessage {
  readonly place: number
  readonly message: UIMessage
}

export function headOf({ id, role, metadata, parts }: UIMessage): JSONValue {
  return toJson({ id, role, metadata, partCount: parts.length })
}

/** A value as JSON has it; values may be proxies of a reactive framework. */
export function toJson(value: unknown): JSONValue {
  return JSON.parse(JSON.stringify(value ?? null))
}

/** The messages among the records, in order; one that is not whole is left out. */
export function readMessages(records: ReadonlyMap<string, JSONValue>): PlacedMessage[] {
  const messages: PlacedMessage[] = []
  for (const [key, head] of records) {
    const [, digits] = /^message\/(\d+)$/.exec(key) ?? []
    if (digits === undefined || !isHead(head)) continue
    const place = Number(digits)
    const { id, role, metadata, partCount } = head
    const parts = Array.from({ length: partCount }, (_, index) =>
      records.get(KEYS.part(place, index)),
    )
    if (!parts.every(isPart)) continue
    // What was written were the parts of a message.
    const message = {
      id,
      role,
      ...given({ metadata }),
      parts: parts as unknown as UIMessage['parts'],
    }
    messages.push({ place, message })
  }
  const inOrder = messages.sort((one, other) => one.place - other.place)
  // What came later under an id that is taken would make all of them unreadable.
  const ids = new Set<string>()
  return inOrder.filter(({ message: { id } }) => ids.size < ids.add(id).size)
}

/** The confirmations among the records, in order. */
export function readConfirmations(records: ReadonlyMap<string, JSONValue>): ConfirmationRecord[] {
  return [...records]
    .filter(([key, record]) => key.startsWith('confirmation/') && isConfirmation(record))
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, record]) => record as unknown as ConfirmationRecord)
}

/** The drafts among the records; one that is not whole is left out. */
export function readDrafts(records: ReadonlyMap<string, JSONValue>): Draft[] {
  const drafts: Draft[] = []
  const prefix = KEYS.draft('')
  for (const [name, record] of records) {
    const key = name.slice(prefix.length)
    if (!name.startsWith(prefix) || key === '' || !isRecord(record)) continue
    const { value, about } = record
    if (value === undefined || (about !== undefined && !isSubject(about))) continue
    // What was read is JSON.
    drafts.push({ key, value: value as JSONValue, ...(about && { about }) })
  }
  return drafts
}

/** A draft but its key, which is that of the record. */
export function draftRecord({ key: _key, ...draft }: Draft): JSONValue {
  return toJson(draft)
}

/** What of an error can be stored: its cause may be anything. */
export function errorRecord(error: EngineError | undefined): object | undefined {
  if (!error) return undefined
  const { code, message, retryable, details } = error
  return { code, message, retryable, details }
}

/** The error among the facts of the turn. */
export function readError(turn: JSONValue | undefined): EngineError | undefined {
  const error = isRecord(turn) ? turn['error'] : undefined
  if (!isRecord(error)) return undefined
  const { code, message, retryable, details } = error
  return new EngineError(code as EngineErrorCode, String(message), {
    retryable: retryable === true,
    ...(isRecord(details) && { details }),
  })
}

/** The confirmations of the namespace {@link EVERYWHERE}, oldest first: their keys have no order. */
export function readEverywhere(records: ReadonlyMap<string, JSONValue>): ConfirmationRecord[] {
  return [...records.values()]
    .filter(isConfirmation)
    .map((record): ConfirmationRecord => record as never)
    .sort((one, other) => one.at - other.at)
}

/** The confirmations that are about policies which hold everywhere. */
export function everywhereAmong(records: readonly ConfirmationRecord[]): ConfirmationRecord[] {
  const isEverywhere = (record: ConfirmationRecord) =>
    isDecision(record) && record.scope?.where === 'everywhere'
  const ids = new Set(records.filter(isEverywhere).map(({ id }) => id))
  return records.filter((record) => {
    if (isEverywhere(record)) return true
    const policyId = 'policyId' in record ? record.policyId : record.revokes
    return policyId !== undefined && ids.has(policyId)
  })
}

/** What a list shows of a conversation as it is now. */
export function summaryOf(
  {
    messages,
    requestState,
    processingState,
    turn,
  }: Pick<StoredConversation, 'messages' | 'requestState' | 'turn'> & {
    processingState?: ProcessingState | undefined
  },
  { createdAt, now }: { createdAt: number; now: number },
): ConversationSummary {
  const first = messages.find(({ role }) => role === 'user')
  const opening = turn?.userMessageId ?? turn?.assistantMessageId
  const from = messages.findLastIndex(({ id }) => id === opening)
  const ofTurn = from === -1 ? [] : messages.slice(from)
  const calls = ofTurn.flatMap((message) => toolCallsOf(message))
  return {
    version: RECORDS_VERSION,
    createdAt,
    updatedAt: now,
    title: first ? titleOf(textOf(first)) : '',
    messageCount: messages.length,
    // A pause is stored before it is shown.
    requestState: processingState === 'pausing' ? 'paused' : requestState,
    waitingCount: calls.filter(({ part }) => isWaiting(part)).length,
  }
}

/** Whether a record is a {@link ConversationSummary}. */
export function isSummary(value: unknown): value is ConversationSummary {
  return (
    isRecord(value) &&
    typeof value['version'] === 'number' &&
    typeof value['createdAt'] === 'number'
  )
}

const TITLE_LENGTH = 80

function titleOf(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ')
  return line.length > TITLE_LENGTH ? `${line.slice(0, TITLE_LENGTH - 1).trimEnd()}…` : line
}

function isHead(value: unknown): value is MessageHead {
  return (
    isRecord(value) &&
    typeof value['id'] === 'string' &&
    value['id'] !== '' &&
    typeof value['role'] === 'string' &&
    Number.isInteger(value['partCount'])
  )
}

function isSubject(value: unknown): value is DraftSubject {
  if (!isRecord(value) || typeof value['messageId'] !== 'string') return false
  const { toolCallId = '' } = value
  return typeof toolCallId === 'string'
}

function isPart(value: unknown): boolean {
  return isRecord(value) && typeof value['type'] === 'string'
}

/** Whether a record is one of a history of confirmations, as far as that can be seen. */
export function isConfirmation(value: unknown): boolean {
  return isRecord(value) && typeof value['id'] === 'string' && typeof value['at'] === 'number'
}

/** So that the order of the keys is that of the places. */
function padded(place: number): string {
  return String(place).padStart(8, '0')
}
