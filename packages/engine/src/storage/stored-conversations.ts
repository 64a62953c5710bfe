import type { JSONValue, UIMessage } from 'ai'
import type { ConfirmationRecord } from '../confirmation.ts'
import { EngineError } from '../errors.ts'
import { textOf } from '../message/message-input.ts'
import { restoreMessages } from '../message/restore-messages.ts'
import { isRecord } from '../message/tool-part.ts'
import type { RequestState } from '../state.ts'
import {
  headOf,
  idOfNamespace,
  isConfirmation,
  isSummary,
  KEYS,
  namespaceOf,
  readConfirmations,
  readMessages,
  RECORDS_VERSION,
  REMOVED,
  summaryOf,
  toJson,
} from './conversation-records.ts'
import type { ConversationStorage } from './storage.ts'

/** A conversation in a list. Times are milliseconds since the epoch. */
export interface ConversationListing {
  readonly id: string
  /** The one that a person gave, else the beginning of the first message; empty before there is one. */
  readonly title: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly messageCount: number
  readonly requestState: RequestState
  /** How many calls wait for a person. */
  readonly waitingCount: number
}

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

/** What can be done with the conversations of a store. Methods reject with what the store says. */
export interface StoredConversations {
  /** The one that changed last comes first. */
  list(): Promise<ConversationListing[]>
  /** Gives a title; an empty one takes it back. Throws `unknown_conversation`. */
  rename(id: string, title: string): Promise<void>
  /** Deletes for good: what an engine that still has it open saves later does not bring it back. */
  remove(id: string): Promise<void>
  /** Those whose title or messages contain a text, whatever its case. */
  search(text: string): Promise<ConversationListing[]>
  /** Throws `unknown_conversation`. */
  export(id: string): Promise<ExportedConversation>
  /**
   * Adds a conversation from a file, or what was read from one, and answers with its id: another one
   * when there is such a conversation. Nothing of it waits or runs, and no "always" of it stands.
   * Throws `invalid_argument`.
   */
  import(file: unknown): Promise<string>
}

/** Options of {@link storedConversations}. */
export interface StoredConversationsOptions {
  readonly now?: () => number
  readonly generateId?: () => string
}

/** The conversations of a store, also of those that no engine has open. */
export function storedConversations(
  storage: ConversationStorage,
  { now = Date.now, generateId = () => crypto.randomUUID() }: StoredConversationsOptions = {},
): StoredConversations {
  async function list(): Promise<ConversationListing[]> {
    const [summaries, titles, removed] = await Promise.all([
      storage.list(KEYS.about),
      storage.list(KEYS.title),
      storage.read(REMOVED),
    ])
    const listings: ConversationListing[] = []
    for (const [namespace, summary] of summaries) {
      const id = idOfNamespace(namespace)
      if (id === undefined || !isSummary(summary)) continue
      if (removed.has(id)) {
        // Saved by an engine that had it open when it was deleted.
        await storage.remove(namespace)
        continue
      }
      const { title, createdAt, updatedAt, messageCount, requestState, waitingCount } = summary
      const given = titles.get(namespace)
      listings.push({
        id,
        title: typeof given === 'string' ? given : title,
        createdAt,
        updatedAt,
        messageCount,
        requestState,
        waitingCount,
      })
    }
    return listings.sort((one, other) => other.updatedAt - one.updatedAt)
  }

  async function listingOf(id: string): Promise<ConversationListing> {
    const listing = (await list()).find((one) => one.id === id)
    if (listing) return listing
    throw new EngineError('unknown_conversation', `No conversation is stored as "${id}".`, {
      details: { conversationId: id },
    })
  }

  return {
    list,
    async rename(id, title) {
      await listingOf(id)
      const text = title.trim()
      const changes =
        text === '' ? { remove: [KEYS.title] } : { put: new Map([[KEYS.title, text]]) }
      await storage.write(namespaceOf(id), changes)
    },
    async remove(id) {
      await storage.write(REMOVED, { put: new Map([[id, now()]]) }, { durability: 'strict' })
      await storage.remove(namespaceOf(id))
    },
    async search(text) {
      const wanted = text.toLowerCase()
      const has = (other: string) => other.toLowerCase().includes(wanted)
      const found: ConversationListing[] = []
      for (const listing of await list()) {
        const isFound = async () => {
          const records = await storage.read(namespaceOf(listing.id))
          return readMessages(records).some(({ message }) => has(textOf(message)))
        }
        if (has(listing.title) || (await isFound())) found.push(listing)
      }
      return found
    },
    async export(id) {
      const { title, createdAt } = await listingOf(id)
      const records = await storage.read(namespaceOf(id))
      return {
        format: 'assent-conversation',
        version: RECORDS_VERSION,
        id,
        title,
        createdAt,
        messages: readMessages(records).map(({ message }) => message),
        confirmations: readConfirmations(records),
      }
    },
    async import(file) {
      const { id, title, createdAt, messages, confirmations } = readFile(file)
      const isTaken = (await storage.read(namespaceOf(id))).size > 0
      const newId = isTaken ? generateId() : id
      const put = new Map<string, JSONValue>()
      const at = now()
      const restored = restoreMessages(messages, at, false).messages
      for (const [place, message] of restored.entries()) {
        put.set(KEYS.message(place), headOf(message))
        for (const [index, part] of message.parts.entries()) {
          put.set(KEYS.part(place, index), toJson(part))
        }
      }
      for (const [index, record] of confirmations.entries()) {
        put.set(KEYS.confirmation(index), toJson(record))
      }
      const facts = { messages: restored, requestState: 'idle', turn: undefined } as const
      put.set(KEYS.about, toJson(summaryOf(facts, { createdAt, now: at })))
      if (title !== '') put.set(KEYS.title, title)
      await storage.write(REMOVED, { remove: [newId] })
      await storage.write(namespaceOf(newId), { put })
      return newId
    },
  }
}

function readFile(file: unknown): ExportedConversation {
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
    value['version'] <= RECORDS_VERSION &&
    typeof value['id'] === 'string' &&
    typeof value['title'] === 'string' &&
    typeof value['createdAt'] === 'number' &&
    Array.isArray(value['messages']) &&
    value['messages'].every(isMessage) &&
    Array.isArray(value['confirmations'])
  )
}

function isMessage(value: unknown): value is UIMessage {
  return (
    isRecord(value) &&
    typeof value['id'] === 'string' &&
    ['system', 'user', 'assistant'].includes(String(value['role'])) &&
    Array.isArray(value['parts']) &&
    value['parts'].every((part) => isRecord(part) && typeof part['type'] === 'string')
  )
}

function invalid(cause?: unknown): EngineError {
  const text = 'This is no conversation that was exported here, or one of a newer version.'
  return new EngineError('invalid_argument', text, { cause })
}
