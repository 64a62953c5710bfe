import type { JSONValue } from 'ai'
import { toEngineError, type EngineError } from '../errors.ts'
import type { ConversationListing } from './conversation-listing.ts'
import {
  conversationOf,
  isSummary,
  KEYS,
  namespaceOf,
  removedOf,
  summaryOf,
  type ConversationSummary,
} from './conversation-records.ts'
import { migrate, type RecordsSchema } from './migrations.ts'
import { readConfirmations, readFacts, readMessages, type Records } from './read-records.ts'
import type { ConversationStorage } from './storage.ts'

export interface ListOptions {
  readonly schema: RecordsSchema
  readonly onError: (error: EngineError) => void
  readonly owner: string | undefined
}

/** All conversations of an owner that were not deleted; the one that changed last comes first. */
export async function listConversations(
  storage: ConversationStorage,
  { schema, onError, owner }: ListOptions,
): Promise<ConversationListing[]> {
  const range = { prefix: namespaceOf('', owner) }
  const [summaries, titles, unread, removed] = await Promise.all([
    storage.list(KEYS.about, range),
    storage.list(KEYS.title, range),
    storage.list(KEYS.unread, range),
    storage.read(removedOf(owner)),
  ])
  const listings: ConversationListing[] = []
  for (const [namespace, about] of summaries) {
    const id = conversationOf(namespace)?.id
    if (id === undefined) continue
    if (removed.has(id)) {
      // Saved by an engine that had it open when it was deleted.
      await storage.remove(namespace)
      continue
    }
    const records = new Map<string, JSONValue>([[KEYS.about, about]])
    for (const [key, values] of [
      [KEYS.title, titles],
      [KEYS.unread, unread],
    ] as const) {
      const value = values.get(namespace)
      if (value !== undefined) records.set(key, value)
    }
    listings.push(await readListing(storage, id, { records, schema, onError, owner }))
  }
  return listings.sort((one, other) => other.updatedAt - one.updatedAt)
}

/** One of them, whatever others there are; `undefined` for one that is not stored, or was deleted. */
export async function lookUpConversation(
  storage: ConversationStorage,
  id: string,
  options: ListOptions,
): Promise<ConversationListing | undefined> {
  const namespace = namespaceOf(id, options.owner)
  const [removed, ...found] = await Promise.all([
    storage.read(removedOf(options.owner), { prefix: id }),
    ...[KEYS.about, KEYS.title, KEYS.unread].map((prefix) => storage.read(namespace, { prefix })),
  ])
  const records = new Map(found.flatMap((some) => [...some]))
  if (removed.has(id) || !records.has(KEYS.about)) return undefined
  return readListing(storage, id, { ...options, records })
}

/** @param records those that a list shows */
async function readListing(
  storage: ConversationStorage,
  id: string,
  { records, schema, onError, owner }: ListOptions & { readonly records: Records },
): Promise<ConversationListing> {
  const shown = brought(records, schema, onError)
  const summary = shown.get(KEYS.about)
  if (isSummary(summary)) return toListing(id, shown, summary)
  // Its messages may be whole.
  const rest = brought(await storage.read(namespaceOf(id, owner)), schema, onError)
  return toListing(id, shown, summaryFrom(rest))
}

/** Records as the schema has them; as they are where that cannot be, which is told. */
function brought(
  records: Records,
  schema: RecordsSchema,
  onError: (error: EngineError) => void,
): Records {
  try {
    return migrate(records, schema).records
  } catch (error) {
    onError(toEngineError(error, 'storage_failed'))
    return records
  }
}

/** What a list would show of a conversation, by what else is stored of it. */
function summaryFrom(records: Records): ConversationSummary {
  const messages = readMessages(records)
  const at = Math.max(0, ...readConfirmations(records).map((record) => record.at))
  return summaryOf({ ...readFacts(records), messages }, { createdAt: at, updatedAt: at })
}

function toListing(
  id: string,
  records: ReadonlyMap<string, JSONValue>,
  { title, createdAt, updatedAt, messageCount, requestState, waitingCount }: ConversationSummary,
): ConversationListing {
  const given = records.get(KEYS.title)
  const unreadCount = records.get(KEYS.unread)
  const isTitleGiven = typeof given === 'string'
  return {
    id,
    title: isTitleGiven ? given : title,
    isTitleGiven,
    createdAt,
    updatedAt,
    messageCount,
    requestState,
    waitingCount,
    unreadCount: typeof unreadCount === 'number' ? unreadCount : 0,
  }
}
