import type { JSONValue, UIMessage } from 'ai'
import { isDecision, type ConfirmationRecord } from '../confirmation.ts'
import type { Draft } from '../drafts.ts'
import type { EngineError } from '../errors.ts'
import { textOf } from '../message/message-input.ts'
import { isRecord, isWaiting } from '../message/tool-part.ts'
import { toolCallsOf } from '../message/tool-calls.ts'
import { ownerPrefix } from '../owner.ts'
import type { ProcessingState } from '../state.ts'
import type { StoredConversation } from './stored-conversation.ts'

/** The version of the records below. A newer one is left alone, an older one is migrated. */
export const RECORDS_VERSION = 3

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
  /** Names the last write: whoever goes on with something older is refused. */
  lastWrite: 'last-write',
  queue: 'queue',
  /** A message that was sent where the conversation was older, until it is in `queue`. */
  held: (id: string) => `held/${id}`,
  /** The id of the message at the end of what is shown. */
  leaf: 'leaf',
  /** What the keys of all messages begin with. */
  messages: 'message/',
  message: (place: number) => `message/${padded(place)}`,
  part: (place: number, index: number) => `message/${padded(place)}/${index}`,
  /** What came to a text later, while it streamed: the rest of `part`, in order. */
  piece: (place: number, index: number, piece: number) =>
    `message/${padded(place)}/${index}/${padded(piece)}`,
  confirmation: (index: number) => `confirmation/${padded(index)}`,
  draft: (key: string) => `draft/${key}`,
} as const

/**
 * The namespace of a conversation.
 *
 * @param owner without one it belongs to nobody, and is only there for who asks without an owner
 */
export function namespaceOf(conversationId: string, owner?: string): string {
  return `${ownerPrefix(owner)}conversation/${conversationId}`
}

/** Which conversation a namespace is that of, and whose, if it is one of a conversation. */
export function conversationOf(
  namespace: string,
): { readonly id: string; readonly owner: string | undefined } | undefined {
  const [, length = '', rest = ''] = /^owner\/(\d+)\/([^]*)$/.exec(namespace) ?? []
  const owner = length === '' ? undefined : rest.slice(0, Number(length))
  const prefix = namespaceOf('', owner)
  return namespace.startsWith(prefix) ? { id: namespace.slice(prefix.length), owner } : undefined
}

/** The namespace that remembers which conversations were deleted: when, by their id. */
export function removedOf(owner?: string): string {
  return `${ownerPrefix(owner)}removed`
}

/** The namespace of the confirmations whose policies hold everywhere, each by its id. */
export function everywhereOf(owner?: string): string {
  return `${ownerPrefix(owner)}everywhere`
}

/**
 * A message but its parts.
 *
 * @param parent the id of the one before it; several may have the same
 */
export function headOf({ id, role, metadata, parts }: UIMessage, parent: string | null): JSONValue {
  return toJson({ id, role, metadata, partCount: parts.length, parent })
}

/**
 * A value as JSON has it; values may be proxies of a reactive framework. `null` for what it has not:
 * that must not keep all else from being stored.
 */
export function toJson(value: unknown): JSONValue {
  try {
    return JSON.parse(JSON.stringify(value ?? null))
  } catch {
    return null
  }
}

/** Whether a record holds a draft. */
export function isDraftKey(key: string): boolean {
  return key.startsWith(KEYS.draft(''))
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
    earlier,
  }: Pick<StoredConversation, 'messages' | 'requestState' | 'turn' | 'earlier'> & {
    processingState?: ProcessingState | undefined
  },
  {
    createdAt,
    updatedAt,
    version = RECORDS_VERSION,
  }: { createdAt: number; updatedAt: number; version?: number },
): ConversationSummary {
  const first = messages.find(({ role }) => role === 'user')
  const opening = turn?.userMessageId ?? turn?.assistantMessageId
  const from = messages.findLastIndex(({ id }) => id === opening)
  const ofTurn = from === -1 ? [] : messages.slice(from)
  const calls = ofTurn.flatMap((message) => toolCallsOf(message))
  return {
    version,
    createdAt,
    updatedAt,
    title: earlier?.title ?? (first ? titleOf(textOf(first)) : ''),
    messageCount: (earlier?.count ?? 0) + messages.length,
    // A pause is stored before it is shown.
    requestState: processingState === 'pausing' ? 'paused' : requestState,
    waitingCount: calls.filter(({ part }) => isWaiting(part)).length,
  }
}

/** Whether a record is a {@link ConversationSummary}. */
export function isSummary(value: unknown): value is ConversationSummary & Record<string, unknown> {
  return (
    isRecord(value) &&
    ['version', 'createdAt', 'updatedAt', 'messageCount', 'waitingCount'].every(
      (field) => typeof value[field] === 'number',
    ) &&
    ['title', 'requestState'].every((field) => typeof value[field] === 'string')
  )
}

const TITLE_LENGTH = 80

function titleOf(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ')
  return line.length > TITLE_LENGTH ? `${line.slice(0, TITLE_LENGTH - 1).trimEnd()}…` : line
}

/** So that the order of the keys is that of the places. */
function padded(place: number): string {
  return String(place).padStart(8, '0')
}
