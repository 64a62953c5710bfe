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
import type { ConversationStorage, StorageListPlace } from './storage.ts'

export interface ListOptions {
  readonly schema: RecordsSchema
  readonly onError: (error: EngineError) => void
  readonly owner: string | undefined
}

/** Some of the conversations of an owner. */
export interface ConversationPage {
  /** The one that changed last comes first. */
  readonly conversations: readonly ConversationListing[]
  /** Where the next page begins; `undefined` when nothing follows. */
  readonly next: StorageListPlace | undefined
}

/** Which of them: the ones that changed last, after a place; all, without a limit. */
export interface PageRange {
  readonly limit?: number
  readonly after?: StorageListPlace | undefined
}

/** The conversations of an owner that were not deleted; the one that changed last comes first. */
export async function listConversations(
  storage: ConversationStorage,
  { limit, after }: PageRange,
  { schema, onError, owner }: ListOptions,
): Promise<ConversationPage> {
  const prefix = namespaceOf('', owner)
  const range = limit === undefined ? { prefix } : { prefix, by: 'updatedAt', after, limit }
  const found = [...(await storage.list(KEYS.about, range))]
  const besideOf = await readBeside(storage, limit === undefined ? undefined : found, owner)
  const listings: ConversationListing[] = []
  for (const [namespace, about] of found) {
    const id = conversationOf(namespace)?.id
    if (id === undefined) continue
    const { isRemoved, records } = besideOf(namespace, id)
    if (isRemoved) {
      // Saved by an engine that had it open when it was deleted.
      await storage.remove(namespace)
      continue
    }
    records.set(KEYS.about, about)
    listings.push(await readListing(storage, id, { records, schema, onError, owner }))
  }
  const [namespace, about] = found.length === limit ? (found.at(-1) ?? []) : []
  return {
    conversations: listings.sort((one, other) => other.updatedAt - one.updatedAt),
    next: namespace === undefined ? undefined : { namespace, value: placeOf(about) },
  }
}

/** So many are looked up one by one; with more it is less to read what there is of all. */
const MOST_APART = 100

type Beside = (
  namespace: string,
  id: string,
) => { readonly isRemoved: boolean; readonly records: Map<string, JSONValue> }

/** What a list shows of conversations beside what is said about each. */
async function readBeside(
  storage: ConversationStorage,
  found: readonly (readonly [namespace: string, about: JSONValue])[] | undefined,
  owner: string | undefined,
): Promise<Beside> {
  const keys = [KEYS.title, KEYS.unread]
  if (found && found.length <= MOST_APART) {
    const apart = await Promise.all(
      found.map(async ([namespace]) => {
        const id = conversationOf(namespace)?.id ?? ''
        const [removed, ...records] = await Promise.all([
          storage.read(removedOf(owner), { prefix: id }),
          ...keys.map((prefix) => storage.read(namespace, { prefix })),
        ])
        const all = new Map(records.flatMap((some) => [...some]))
        return [namespace, { isRemoved: removed.has(id), records: all }] as const
      }),
    )
    const known = new Map(apart)
    return (namespace) => known.get(namespace) ?? { isRemoved: false, records: new Map() }
  }
  const range = { prefix: namespaceOf('', owner) }
  const [removed, ...lists] = await Promise.all([
    storage.read(removedOf(owner)),
    ...keys.map((key) => storage.list(key, range)),
  ])
  return (namespace, id) => {
    const records = new Map<string, JSONValue>()
    for (const [index, key] of keys.entries()) {
      const value = lists[index]?.get(namespace)
      if (value !== undefined) records.set(key, value)
    }
    return { isRemoved: removed.has(id), records }
  }
}

/** Where the order of pages has it: what its record says, not what is shown. */
function placeOf(about: JSONValue | undefined): number | undefined {
  if (typeof about !== 'object' || about === null || !('updatedAt' in about)) return undefined
  const { updatedAt } = about
  return typeof updatedAt === 'number' ? updatedAt : undefined
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
