import type { UIMessage } from 'ai'
import type { ConfirmationRecord } from '../confirmation.ts'
import { EngineError } from '../errors.ts'
import { isRecord } from '../message/tool-part.ts'
import { toJson } from './conversation-records.ts'
import type { ConversationListing } from './conversation-listing.ts'
import { isConfirmation, isMessage } from './record-guards.ts'
import type { StoredConversation } from './stored-conversation.ts'

/** The version of such files, apart from that of what is stored. */
const FILE_VERSION = 1

/** A conversation as a file. */
export interface ExportedConversation {
  readonly format: 'assent-conversation'
  readonly version: number
  readonly id: string
  readonly title: string
  readonly createdAt: number
  readonly messages: readonly UIMessage[]
  readonly confirmations: readonly ConfirmationRecord[]
}

/** A conversation as a file, from what is known of it: also of one that could not be stored. */
export function toExported(
  { id, title, createdAt }: Pick<ConversationListing, 'id' | 'title' | 'createdAt'>,
  { messages, confirmations }: Pick<StoredConversation, 'messages' | 'confirmations'>,
): ExportedConversation {
  return {
    format: 'assent-conversation',
    version: FILE_VERSION,
    id,
    title,
    createdAt,
    // What JSON has no word for is not in the file, nor a proxy of a reactive framework.
    messages: toJson(messages) as never,
    // What holds everywhere may be of others.
    confirmations: toJson(confirmations.filter((one) => one.conversationId === id)) as never,
  }
}

/** What is in a file, whose "always" is nobody's here. Throws `invalid_argument`. */
export function readExported(file: unknown): ExportedConversation {
  const value: unknown = typeof file === 'string' ? parse(file) : file
  if (!isExported(value)) throw invalid()
  // An "always" of somebody else's, or of another device, is nobody's yes here.
  const confirmations = value.confirmations.filter(isConfirmation).map((record) => {
    if (!('outcome' in record) || record.outcome !== 'yes_always') return record
    const { scope: _scope, ...plain } = record
    return { ...plain, outcome: 'yes' as const }
  })
  return { ...value, confirmations }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw invalid(cause)
  }
}

function isExported(value: unknown): value is ExportedConversation {
  return (
    isRecord(value) &&
    value['format'] === 'assent-conversation' &&
    typeof value['version'] === 'number' &&
    value['version'] <= FILE_VERSION &&
    typeof value['id'] === 'string' &&
    typeof value['title'] === 'string' &&
    typeof value['createdAt'] === 'number' &&
    Array.isArray(value['messages']) &&
    value['messages'].every(isMessage) &&
    Array.isArray(value['confirmations'])
  )
}

function invalid(cause?: unknown): EngineError {
  const text = 'This is no conversation that was exported here, or one of a newer version.'
  return new EngineError('invalid_argument', text, { cause })
}
