import type { JSONValue, UIMessage } from 'ai'
import { isDecision, type ConfirmationRecord } from '../confirmation.ts'
import { EngineError } from '../errors.ts'
import { textOf } from '../message/message-input.ts'
import { restoreMessages } from '../message/restore-messages.ts'
import { assertOwner, ownerPrefix, tellOwnerCleared } from '../owner.ts'
import { randomId } from '../random-id.ts'
import type { ConversationListing } from './conversation-listing.ts'
import {
  conversationOf,
  everywhereOf,
  headOf,
  KEYS,
  namespaceOf,
  removedOf,
  summaryOf,
  toJson,
} from './conversation-records.ts'
import { tellEverywhere } from './everywhere-news.ts'
import { readExported, toExported, type ExportedConversation } from './exported-conversation.ts'
import {
  listConversations,
  lookUpConversation,
  type ConversationPage,
  type PageRange,
} from './list-conversations.ts'
import { migrate, SCHEMA, type RecordsSchema } from './migrations.ts'
import { readConfirmations, readEverywhere, readMessages, type Records } from './read-records.ts'
import type { ConversationStorage, StorageListPlace } from './storage.ts'
import { revocationOf } from './stored-policies.ts'

/** What can be done with the conversations of a store. Methods reject with what the store says. */
export interface StoredConversations {
  /** The one that changed last comes first. */
  list(): Promise<ConversationListing[]>
  /** At most `limit` of the list, from a place on that a page before has named. */
  page(limit: number, after?: StorageListPlace): Promise<ConversationPage>
  /** One of the list, at the same cost whatever others there are; `undefined` when it is not there. */
  get(id: string): Promise<ConversationListing | undefined>
  /** Gives a title; an empty one takes it back. Throws `unknown_conversation`. */
  rename(id: string, title: string): Promise<void>
  /** Deletes for good: what an engine that still has it open saves later does not bring it back. */
  remove(id: string): Promise<void>
  /** Whether a conversation was deleted: its id is not to be used again. */
  isRemoved(id: string): Promise<boolean>
  /** Notes how many of its messages nobody has looked at; it is no change of the conversation. */
  markUnread(id: string, count: number): Promise<void>
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
  /** How the permissions that hold everywhere were given, used and taken back, oldest first. */
  everywhere(): Promise<ConfirmationRecord[]>
  /**
   * Takes a permission that holds everywhere back. Engines that have a conversation of this store open
   * learn of it, also in other tabs. Throws `unknown_policy`.
   */
  revokeEverywhere(policyId: string): Promise<void>
}

/** The store may be on another machine. */
const SEARCHED_AT_ONCE = 20

/** Options of {@link storedConversations}. */
export interface StoredConversationsOptions {
  readonly now?: () => number
  readonly generateId?: () => string
  /**
   * Whose conversations and permissions: those of others, and of nobody, are not there. Without an
   * owner those are there that belong to nobody.
   */
  readonly owner?: string
  /**
   * Records that cannot be brought to this version: those of a newer one, and those whose migration
   * fails. What can be read of them is listed all the same. Default: nobody is told
   * until such a conversation is opened.
   */
  readonly onError?: (error: EngineError) => void
}

/** The conversations of a store, also of those that no engine has open. */
export function storedConversations(
  storage: ConversationStorage,
  options: StoredConversationsOptions = {},
): StoredConversations {
  return conversationsOf(storage, options, SCHEMA)
}

/**
 * Takes away everything that a store has of an owner, for a logout: conversations, drafts, permissions. What
 * is open of that owner in this page ends first, in any store, as in the other tabs of a browser, and is
 * stored no more.
 */
export async function clearOwner(storage: ConversationStorage, owner: string): Promise<void> {
  assertOwner(owner)
  tellOwnerCleared(owner, false)
  await storage.removeAll(ownerPrefix(owner))
  tellOwnerCleared(owner, true)
}

/** So many records are written at once: what is large holds up nobody else of the store. */
const WRITTEN_AT_ONCE = 500

async function writeInPieces(
  storage: ConversationStorage,
  namespace: string,
  records: Iterable<readonly [key: string, value: JSONValue]>,
): Promise<void> {
  let put = new Map<string, JSONValue>()
  for (const [key, value] of records) {
    put.set(key, value)
    if (put.size < WRITTEN_AT_ONCE) continue
    await storage.write(namespace, { put })
    put = new Map()
    // A store may be done in this very tick.
    await new Promise((resolve) => setTimeout(resolve))
  }
  if (put.size > 0) await storage.write(namespace, { put })
}

function* recordsOf(
  messages: readonly UIMessage[],
  confirmations: readonly ConfirmationRecord[],
): Iterable<readonly [key: string, value: JSONValue]> {
  for (const [place, message] of messages.entries()) {
    yield [KEYS.message(place), headOf(message, messages[place - 1]?.id ?? null)]
    for (const [index, part] of message.parts.entries()) {
      yield [KEYS.part(place, index), toJson(part)]
    }
  }
  for (const [index, record] of confirmations.entries()) {
    yield [KEYS.confirmation(index), toJson(record)]
  }
}

/** Does something with each, with some at a time. */
async function inSlices<ITEM>(
  items: Iterable<ITEM>,
  act: (item: ITEM) => Promise<void>,
): Promise<void> {
  const all = [...items]
  for (let from = 0; from < all.length; from += SEARCHED_AT_ONCE) {
    await Promise.all(all.slice(from, from + SEARCHED_AT_ONCE).map(act))
  }
}

/** The same with records of any schema. */
export function conversationsOf(
  storage: ConversationStorage,
  options: StoredConversationsOptions,
  schema: RecordsSchema,
): StoredConversations {
  const { now = Date.now, generateId = randomId, onError = () => undefined, owner } = options
  if ('owner' in options) assertOwner(owner)
  const everywhere = everywhereOf(owner)
  const removed = removedOf(owner)
  const ofId = (id: string) => namespaceOf(id, owner)
  const page = (range: PageRange) => listConversations(storage, range, { schema, onError, owner })
  const list = async () => [...(await page({})).conversations]
  /** Those in which a text may be, or all. */
  async function listToSearch(text: string): Promise<readonly ConversationListing[]> {
    const namespaces = await storage.search?.(text, ofId(''))
    if (!namespaces) return list()
    const found: ConversationListing[] = []
    await inSlices(new Set(namespaces), async (namespace) => {
      const id = conversationOf(namespace)?.id
      const listing = id === undefined ? undefined : await get(id)
      if (listing) found.push(listing)
    })
    return found.sort((one, other) => other.updatedAt - one.updatedAt)
  }

  const get = (id: string) => lookUpConversation(storage, id, { schema, onError, owner })

  /** All records of a conversation. */
  async function read(id: string): Promise<Records> {
    return migrate(await storage.read(ofId(id)), schema).records
  }

  async function listingOf(id: string): Promise<ConversationListing> {
    const listing = await get(id)
    if (listing) return listing
    throw new EngineError('unknown_conversation', `No conversation is stored as "${id}".`, {
      details: { conversationId: id },
    })
  }

  return {
    list,
    page: (limit, after) => page({ limit, after }),
    get,
    async rename(id, title) {
      await listingOf(id)
      const text = title.trim()
      const changes =
        text === '' ? { remove: [KEYS.title] } : { put: new Map([[KEYS.title, text]]) }
      await storage.write(ofId(id), changes)
    },
    async remove(id) {
      await storage.write(removed, { put: new Map([[id, now()]]) }, { durability: 'strict' })
      await storage.remove(ofId(id))
    },
    async search(text) {
      const wanted = text.toLowerCase()
      const has = (other: string) => other.toLowerCase().includes(wanted)
      const all = await listToSearch(text)
      const found = new Set<ConversationListing>()
      await inSlices(all, async (listing) => {
        const { id, title } = listing
        if (has(title) || readMessages(await read(id)).some((message) => has(textOf(message)))) {
          found.add(listing)
        }
      })
      return all.filter((listing) => found.has(listing))
    },
    async isRemoved(id) {
      return (await storage.read(removed)).has(id)
    },
    async markUnread(id, count) {
      const changes =
        count > 0 ? { put: new Map([[KEYS.unread, count]]) } : { remove: [KEYS.unread] }
      await storage.write(ofId(id), changes)
    },
    async export(id) {
      const listing = await listingOf(id)
      const records = await read(id)
      const messages = readMessages(records)
      return toExported(listing, { messages, confirmations: readConfirmations(records) })
    },
    async import(file) {
      const { id, title, createdAt, messages, confirmations } = readExported(file)
      const isTaken = (await storage.read(ofId(id), { limit: 1 })).size > 0
      const newId = isTaken ? generateId() : id
      const at = now()
      const restored = restoreMessages(messages, at, false).messages
      const facts = { messages: restored, requestState: 'idle', turn: undefined } as const
      const about = summaryOf(facts, { createdAt, updatedAt: at, version: schema.version })
      const shown = new Map<string, JSONValue>([[KEYS.about, toJson(about)]])
      const leaf = restored.at(-1)
      if (leaf) shown.set(KEYS.leaf, leaf.id)
      if (title !== '') shown.set(KEYS.title, title)
      await storage.write(removed, { remove: [newId] })
      try {
        await writeInPieces(storage, ofId(newId), recordsOf(restored, confirmations))
        // It is listed once it is there as a whole.
        await storage.write(ofId(newId), { put: shown }, { durability: 'strict' })
      } catch (error) {
        // That it cannot be stored says more than that its beginning stays.
        await storage.remove(ofId(newId)).catch(() => undefined)
        throw error
      }
      return newId
    },
    everywhere: async () => readEverywhere(await storage.read(everywhere)),
    async revokeEverywhere(policyId) {
      const records = readEverywhere(await storage.read(everywhere))
      const given = records.find(({ id }) => id === policyId)
      if (!given || !isDecision(given)) {
        throw new EngineError('unknown_policy', `No policy has the id ${policyId}.`, {
          details: { policyId },
        })
      }
      const id = generateId()
      const put = new Map([[id, toJson(revocationOf(given, { id, at: now() }))]])
      await storage.write(everywhere, { put }, { durability: 'strict' })
      tellEverywhere(storage, everywhere)
    },
  }
}
