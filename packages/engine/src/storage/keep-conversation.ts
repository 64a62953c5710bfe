import type { JSONValue, UIMessage } from 'ai'
import { isEngineError } from '../errors.ts'
import { restoreMessages } from '../message/restore-messages.ts'
import { assertOwner, onOwnerCleared } from '../owner.ts'
import type { Persistence, PersistenceHost, SaveResult } from '../persistence.ts'
import { everywhereOf, isDraftKey, KEYS, namespaceOf, toJson } from './conversation-records.ts'
import { everywhereNews } from './everywhere-news.ts'
import { atWork } from './at-work.ts'
import { withinDeadline } from './deadline.ts'
import { together, type KeptChange } from './kept-change.ts'
import { keptConfirmations } from './kept-confirmations.ts'
import { keptDrafts } from './kept-drafts.ts'
import { keptFacts } from './kept-facts.ts'
import { keptMessages } from './kept-messages.ts'
import { lastWrite } from './last-write.ts'
import { migrate, SCHEMA } from './migrations.ts'
import { readAtRest, type ConversationEnd, type EarlierPages } from './read-at-rest.ts'
import {
  nextPlace,
  readEverywhere,
  readPlaced,
  shownOf,
  type NoteMalformed,
  type Records,
} from './read-records.ts'
import { restoreConversation } from './restore-conversation.ts'
import { oneProcessOnly, storageFailed, unreadable } from './storage-errors.ts'
import type {
  ConversationStorage,
  StorageChanges,
  StorageRange,
  StorageWriteOptions,
  StorageWriteResult,
} from './storage.ts'
import type { StoredConversation } from './stored-conversation.ts'
import { writeRhythm } from './write-rhythm.ts'

/** Options of {@link keepConversation}. */
export interface KeepOptions {
  /** Milliseconds between writes while an answer streams. Default 500. */
  readonly streamingMs?: number
  /** Milliseconds until a failed write is tried again; doubled each time up to 30 s. Default 1,000. */
  readonly retryMs?: number
  /** Milliseconds that the store has for a read; then the conversation counts as unreadable. Default 10,000. */
  readonly readTimeoutMs?: number
  /** Milliseconds that the store has for a write; then it has failed, and is tried again. Default 10,000. */
  readonly writeTimeoutMs?: number
  /**
   * Reads a conversation in which nothing is open by its last messages, at least so many, and the others
   * when they are asked for (`loadEarlier`) or needed. Default: all at once.
   */
  readonly pageSize?: number
}

/**
 * What is still being written by who kept a conversation before, by store and namespace: whoever
 * opens it again at once must find that.
 */
const closings = new WeakMap<object, Map<string, Promise<void>>>()

/** What goes on when the conversation is gone from the store. */
const NOTHING = { messages: [], messageIds: [], queue: [], confirmations: [] }

/** Stores of which it was said that their claims decide in one process only. */
const told = new WeakSet<ConversationStorage>()

/**
 * Keeps one conversation in a store, by writing what changed: parts of messages, confirmations,
 * drafts, the facts of the turn. All of a write is in the store or nothing of it, so that what is
 * read is the conversation as it was at one moment.
 */
export function keepConversation<MESSAGE extends UIMessage>(
  storage: ConversationStorage,
  host: PersistenceHost<MESSAGE>,
  {
    streamingMs = 500,
    retryMs = 1_000,
    readTimeoutMs = 10_000,
    writeTimeoutMs = 10_000,
    pageSize,
  }: KeepOptions = {},
  schema = SCHEMA,
): Persistence<MESSAGE> {
  if ('owner' in host) assertOwner(host.owner)
  const namespace = namespaceOf(host.conversationId, host.owner)
  const everywhereName = everywhereOf(host.owner)
  let { messages, confirmations, drafts, facts } = nothingKept()
  const { store = storage } = storage
  const work = atWork(storage, namespace)
  /** Somebody else was at work when it was read. */
  let isElsewhere = false
  const rhythm = writeRhythm(() => void save(true), retryMs)
  let areFactsChanged = false
  let areDraftsChanged = false
  let isReadable = false
  const named = lastWrite()
  /** Somebody else goes on with the conversation: what is known here is older than what is stored. */
  let isTaken = false
  let isCleared = false
  let token = host.token === 'next' ? undefined : host.token
  /** What a migration changed and no write has stored: nothing else may be stored without it. */
  let migrated: StorageChanges | undefined
  /** A write that must last was asked for, and has not begun. */
  let isSaving = false
  /** The last write was one that lasts. */
  let isLasting = true
  let last: Promise<unknown> = Promise.resolve()
  /** What was not read yet of the messages. */
  let pages: EarlierPages | undefined

  /** Whether nothing may be written any more. */
  function isOver(): boolean {
    return isCleared || host.lost?.aborted === true
  }

  function nothingKept() {
    return {
      messages: keptMessages(host),
      confirmations: keptConfirmations(),
      drafts: keptDrafts(),
      facts: keptFacts(schema.version),
    }
  }

  const stopListening =
    host.owner === undefined
      ? undefined
      : onOwnerCleared(host.owner, (isOver) => {
          if (isOver) return
          isCleared = true
          host.onOwnerCleared?.()
        })
  const news = everywhereNews(storage, everywhereName, () => void learn())

  function reading<RESULT>(work: Promise<RESULT>): Promise<RESULT> {
    return withinDeadline('read', readTimeoutMs, work)
  }

  /** One that comes too late may be made all the same: the next one is made after it. */
  function writing(...call: Parameters<ConversationStorage['write']>): Promise<StorageWriteResult> {
    return withinDeadline('write', writeTimeoutMs, storage.write(...call))
  }

  /** Others have stored something that holds everywhere. */
  async function learn(): Promise<void> {
    if (!isReadable || !host.learn || isOver()) return
    try {
      const records = readEverywhere(await reading(storage.read(everywhereName)))
      // What this conversation has decided itself may not be stored yet among its own.
      const known = new Set(host.getState().confirmations.map(({ id }) => id))
      const others = records.filter(({ id }) => !known.has(id))
      confirmations.know(others)
      if (others.length > 0) host.learn(others)
    } catch (cause) {
      host.report(storageFailed('told what is allowed everywhere', cause))
    }
  }

  /** The end of the conversation, as far as that is enough to begin with. */
  async function readEnd(note: NoteMalformed): Promise<ConversationEnd | undefined> {
    // What was sent here is looked for among all that somebody else has stored.
    if (!pageSize || isTaken) return undefined
    const read = (range: StorageRange) => reading(storage.read(namespace, range))
    return readAtRest(read, { size: pageSize, version: schema.version, note })
  }

  async function readEarlier(isAll: boolean): Promise<void> {
    const reader = pages
    if (!reader || !isReadable || isTaken || isOver()) return
    const malformed: string[] = []
    try {
      const { added, shown, earlier, next } = await reader.more(isAll, (key) => malformed.push(key))
      const written = await reading(storage.read(namespace, { prefix: KEYS.lastWrite }))
      if (!named.isLast(written)) {
        giveUp()
        return
      }
      if (pages !== reader || isOver()) return
      if (!earlier) pages = undefined
      messages.take({ placed: added, next })
      if (malformed.length > 0) host.report(unreadable(malformed))
      const { messages: restored } = restoreMessages(shown, host.now(), false)
      // What was written were messages of this type.
      host.showEarlier?.(restored as readonly UIMessage[] as readonly MESSAGE[], earlier)
      for (const [index, message] of restored.entries()) {
        if (message !== shown[index]) messages.changed(message.id)
      }
      if (messages.isChanged()) rhythm.schedule(0)
    } catch (cause) {
      host.report(storageFailed('read in its earlier part', cause))
    }
  }

  /** Takes over what was read, as what needs not be written. */
  function take(
    read: Records,
    everywhere: Records,
    malformed: string[],
    end?: ConversationEnd,
  ): StoredConversation<MESSAGE> | undefined {
    const { records, changes } = migrate(read, schema)
    const wasTaken = isTaken
    if (isTaken) {
      // What was kept before is of no account, nor what has changed here since.
      ;({ messages, confirmations, drafts, facts } = nothingKept())
      isTaken = areFactsChanged = areDraftsChanged = false
      isLasting = true
    }
    migrated = changes
    named.take(records)
    const note = (key: string) => void malformed.push(key)
    const placed = end?.placed ?? readPlaced(records, note)
    const leaf = records.get(KEYS.leaf)
    messages.take({ placed, next: end?.next ?? nextPlace(records, 'message'), leaf })
    pages = end?.earlier && end.pages
    const stored = {
      ...facts.take(records, note),
      messages: end?.shown ?? shownOf(placed, leaf),
      earlier: end?.earlier,
      confirmations: confirmations.take(records, readEverywhere(everywhere), note),
      drafts: drafts.take(records, note),
    }
    if (malformed.length > 0) host.report(unreadable(malformed))
    if (records.size === 0 && stored.confirmations.length === 0 && !wasTaken) return undefined
    // What was written were messages of this type.
    return stored as StoredConversation<UIMessage> as StoredConversation<MESSAGE>
  }

  /**
   * Everything that changed since the last write, and how to take note of what became of it.
   *
   * @param isForced something is to be written, also when nothing changed
   */
  function collect(
    isForced: boolean,
  ): KeptChange & { readonly everywhere: ReadonlyMap<string, JSONValue> } {
    const changes: KeptChange[] = [migration(), messages.collect()]
    const taken = { areFactsChanged, areDraftsChanged }
    areFactsChanged = false
    areDraftsChanged = false
    let everywhere: ReadonlyMap<string, JSONValue> = new Map()
    if (taken.areFactsChanged || taken.areDraftsChanged || isForced) {
      const state = host.getState()
      changes.push(drafts.collect(state.drafts))
      if (taken.areFactsChanged || isForced || facts.isDue(state)) {
        const confirmed = confirmations.collect(state.confirmations)
        everywhere = confirmed.everywhere
        // What a person types is no news of the conversation.
        const { areFactsChanged: isNews } = taken
        changes.push(facts.collect(state, host.now(), { isNews, isForced }), confirmed)
      }
    }
    return {
      // What comes later is newer than what a migration made of it.
      ...together(changes, () => {
        areFactsChanged ||= taken.areFactsChanged
        areDraftsChanged ||= taken.areDraftsChanged
      }),
      everywhere,
    }
  }

  function isAnyChanged(): boolean {
    return messages.isChanged() || areFactsChanged || areDraftsChanged || migrated !== undefined
  }

  function migration(): KeptChange {
    const { put = new Map<string, JSONValue>(), remove = [] } = migrated ?? {}
    return {
      put,
      remove,
      succeeded() {
        migrated = undefined
      },
      failed: () => undefined,
    }
  }

  /** Everything that changed since the last write, if any has to be made. */
  async function write(isDue: boolean, mustCheck: boolean): Promise<SaveResult> {
    if (isTaken) return 'taken'
    if (!isReadable || isOver()) return 'failed'
    // Not over what is being done: whoever does it has written by the time it is done.
    if (isElsewhere && !mustCheck && isAnyChanged() && (await work.isElsewhere())) return giveUp()
    const mustLast = !isDue || isSaving
    isSaving = false
    // Written already, in a way that a crash of the machine may undo: one strict write makes all last.
    const isForced = mustCheck || (mustLast && !isLasting)
    if (!isForced && !isAnyChanged()) return rhythm.isFailing() ? 'failed' : 'stored'
    const { put, remove, everywhere, succeeded, failed } = collect(isForced)
    if (put.size + remove.length + everywhere.size === 0 && !mustCheck) {
      succeeded()
      return rhythm.isFailing() ? 'failed' : 'stored'
    }
    const options: StorageWriteOptions = mustLast ? { durability: 'strict' } : {}
    // What a person types must be on its way when the page goes in this very moment, so nothing is looked
    // up for it; the draft of a former holder does no harm.
    const keys = [...put.keys(), ...remove]
    const isDraftsOnly = !mustLast && keys.length > 0 && keys.every(isDraftKey)
    try {
      // First, so that what holds everywhere is known there when it is known here.
      if (everywhere.size > 0) {
        await writing(everywhereName, { put: everywhere }, options)
        news.tell()
        if (isOver()) return 'failed'
      }
      if (isDraftsOnly) await writing(namespace, { put, remove }, options)
      else {
        const fence = token === undefined ? {} : { fence: token }
        const next = (changes: StorageChanges) =>
          writing(namespace, changes, { ...options, ...fence })
        if (!(await named.follow({ put, remove }, next))) return giveUp()
      }
      succeeded()
      isLasting = mustLast
      rhythm.succeeded()
      return 'stored'
    } catch (cause) {
      failed()
      if (isEngineError(cause) && cause.code === 'fenced') return giveUp()
      isSaving ||= isForced
      if (!rhythm.isFailing()) host.report(storageFailed('stored yet; it is tried again', cause))
      rhythm.retry()
      return 'failed'
    }
  }

  function giveUp(): SaveResult {
    isReadable = false
    isTaken = true
    work.now(false)
    host.onTaken?.()
    return 'taken'
  }

  /** One write after the other, each with everything that has changed by then. */
  function save(isDue: boolean, mustCheck = false): Promise<SaveResult> {
    rhythm.clear()
    // A write that was due before takes what this one is for.
    isSaving ||= !isDue
    const written = last.then(() => write(isDue, mustCheck))
    last = written
    return written
  }

  return {
    async restore() {
      if (isForOneProcess(storage) && !told.has(storage)) {
        told.add(storage)
        host.report(oneProcessOnly())
      }
      const wasTaken = isTaken
      try {
        await closings.get(store)?.get(namespace)
        // Before anything is read: what a former holder still writes is refused from here on.
        if (host.token === 'next') token ??= await reading(storage.fence(namespace))
        const malformed: string[] = []
        const end = await readEnd((key) => void malformed.push(key))
        if (!end) malformed.length = 0
        const records = end?.records ?? (await reading(storage.read(namespace)))
        const stored = take(records, await reading(storage.read(everywhereName)), malformed, end)
        isReadable = true
        if (migrated) rhythm.schedule(0)
        if (!stored) return undefined
        const restored = restoreConversation(
          stored,
          wasTaken ? NOTHING : host.getState(),
          host.now(),
        )
        const mayBeElsewhere = token === undefined && stored.requestState === 'processing'
        isElsewhere = mayBeElsewhere && (await work.isElsewhere())
        return isElsewhere ? { ...restored, isElsewhere } : restored
      } catch (cause) {
        // What cannot be read is not written over.
        host.report(
          isEngineError(cause) ? cause : storageFailed('read; nothing of it is stored', cause),
        )
        return undefined
      }
    },
    changed(messageId, isDraft = false) {
      work.now(isReadable && host.getState().requestState === 'processing')
      if (messageId !== undefined) messages.changed(messageId)
      else if (isDraft) areDraftsChanged = true
      else areFactsChanged = true
      // A text that streams changes all the time; anything else is stored as soon as it is done.
      rhythm.schedule(host.getState().processingState === 'completing' ? streamingMs : 0)
    },
    reordered() {
      messages.reordered()
      areFactsChanged = true
      rhythm.schedule(0)
    },
    save: ({ isForced = false } = {}) => save(false, isForced),
    loadEarlier(isAll) {
      const loaded = last.then(() => readEarlier(isAll))
      last = loaded
      return loaded
    },
    async hold(queued) {
      const put = new Map(queued.map((item) => [KEYS.held(item.id), toJson(item)]))
      if (put.size === 0 || !isReadable || isOver()) return
      try {
        await writing(namespace, { put }, { durability: 'strict' })
        facts.held([...put.keys()])
      } catch (cause) {
        host.report(storageFailed('stored with what was sent', cause))
      }
    },
    async close() {
      rhythm.close()
      news.close()
      stopListening?.()
      const ofStorage = closings.get(store) ?? new Map<string, Promise<void>>()
      // Whoever was left before it had read anything has written nothing: who was there before may yet.
      const closing = Promise.all([ofStorage.get(namespace), save(true)]).then(() => {
        if (ofStorage.get(namespace) === closing) ofStorage.delete(namespace)
      })
      closings.set(store, ofStorage.set(namespace, closing))
      await closing
      work.now(false)
    },
  }
}

/** Whether nothing would keep another process from starting the same call. */
function isForOneProcess({ claims, endsWithProcess = false }: ConversationStorage): boolean {
  return claims === 'process' && !endsWithProcess
}
