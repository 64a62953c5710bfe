import type { JSONValue, UIMessage } from 'ai'
import type { ConfirmationRecord } from '../confirmation.ts'
import { describeThrown, EngineError, isEngineError } from '../errors.ts'
import type { Persistence, PersistenceHost, StoredConversation } from '../persistence.ts'
import {
  errorRecord,
  EVERYWHERE,
  everywhereAmong,
  headOf,
  isSummary,
  KEYS,
  namespaceOf,
  readConfirmations,
  readError,
  readEverywhere,
  readMessages,
  RECORDS_VERSION,
  summaryOf,
  toJson,
} from './conversation-records.ts'
import type { ConversationStorage, StorageWriteOptions } from './storage.ts'

/** Options of {@link keepConversation}. */
export interface KeepOptions {
  /** Milliseconds between writes while an answer streams. Default 500. */
  readonly streamingMs?: number
  /** Milliseconds until a failed write is tried again; doubled each time up to 30 s. Default 1,000. */
  readonly retryMs?: number
}

const LONGEST_RETRY_MS = 30_000

/**
 * What is still being written by who kept a conversation before, by store and namespace: whoever
 * opens it again at once must find that.
 */
const closings = new WeakMap<ConversationStorage, Map<string, Promise<void>>>()

/** What is stored of a message: where, and the very objects. */
interface KeptMessage {
  readonly place: number
  /** None when a write failed: it may be there all the same, in part of what it was by then. */
  readonly message: UIMessage | undefined
  /** How many parts may be there. */
  readonly partCount: number
}

/**
 * Keeps one conversation in a store, by writing what changed: parts of messages, confirmations, the
 * facts of the turn. All of a write is in the store or nothing of it, so that what is read is the
 * conversation as it was at one moment.
 */
export function keepConversation<MESSAGE extends UIMessage>(
  storage: ConversationStorage,
  host: PersistenceHost<MESSAGE>,
  { streamingMs = 500, retryMs = 1_000 }: KeepOptions = {},
): Persistence<MESSAGE> {
  const namespace = namespaceOf(host.conversationId)
  const kept = new Map<string, KeptMessage>()
  const keptConfirmations = new Set<string>()
  let changedMessages = new Set<string>()
  let isChanged = false
  let isReadable = false
  let isClosed = false
  let nextPlace = 0
  let nextConfirmation = 0
  let createdAt: number | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let timerMs = 0
  /** A write that must last was asked for, and has not begun. */
  let isSaving = false
  /** The last write was one that lasts. */
  let isLasting = true
  let failures = 0
  let last = Promise.resolve(true)

  /** Takes over what was read, as what needs not be written. */
  function take(
    records: ReadonlyMap<string, JSONValue>,
    everywhere: readonly ConfirmationRecord[],
  ): StoredConversation<MESSAGE> | undefined {
    const confirmations = readConfirmations(records)
    for (const { id } of confirmations) keptConfirmations.add(id)
    nextConfirmation = confirmations.length
    const others = everywhere.filter(({ id }) => !keptConfirmations.has(id))
    for (const { id } of others) keptConfirmations.add(id)
    const messages = readMessages(records)
    for (const { place, message } of messages) {
      kept.set(message.id, { place, message, partCount: message.parts.length })
    }
    nextPlace = (messages.at(-1)?.place ?? -1) + 1
    const about = records.get(KEYS.about)
    createdAt = isSummary(about) ? about.createdAt : undefined
    if (records.size === 0 && others.length === 0) return undefined
    return {
      requestState: 'idle',
      processingState: undefined,
      turn: undefined,
      queue: [],
      // What is in the store was written from such a conversation.
      ...(records.get(KEYS.turn) as object | undefined),
      error: readError(records.get(KEYS.turn)),
      ...(records.has(KEYS.queue) && { queue: records.get(KEYS.queue) as never }),
      messages: messages.map(({ message }) => message as MESSAGE),
      confirmations: [...confirmations, ...others],
    }
  }

  /** Everything that changed since the last write, and how to take note that it was written. */
  function collect(): Writing {
    const put = new Map<string, JSONValue>()
    const remove: string[] = []
    const written = new Map<string, KeptMessage>()
    for (const id of changedMessages) {
      const before = kept.get(id)
      const message = host.getMessage(id)
      // Came and went: nothing of it was ever written.
      if (!message && !before) continue
      const place = before?.place ?? nextPlace++
      const partCount = message?.parts.length ?? 0
      if (message) putMessage(put, place, message, before?.message)
      else remove.push(KEYS.message(place))
      for (let index = partCount; index < (before?.partCount ?? 0); index++) {
        remove.push(KEYS.part(place, index))
      }
      written.set(id, { place, message, partCount })
    }
    const everywhere = new Map<string, JSONValue>()
    const confirmed: string[] = []
    if (isChanged) {
      const state = host.getState()
      const { requestState, processingState, turn, error, queue, confirmations } = state
      const now = host.now()
      createdAt ??= now
      put.set(KEYS.about, toJson(summaryOf(state, { createdAt, now })))
      put.set(KEYS.turn, toJson({ requestState, processingState, turn, error: errorRecord(error) }))
      put.set(KEYS.queue, toJson(queue))
      const isNew = ({ id }: ConfirmationRecord) => !keptConfirmations.has(id)
      for (const record of confirmations.filter(isNew)) {
        put.set(KEYS.confirmation(nextConfirmation + confirmed.length), toJson(record))
        confirmed.push(record.id)
      }
      if (confirmed.length > 0) {
        for (const record of everywhereAmong(confirmations).filter(isNew)) {
          everywhere.set(record.id, toJson(record))
        }
      }
    }
    const taken = { changedMessages, isChanged }
    changedMessages = new Set()
    isChanged = false
    return {
      put,
      remove,
      everywhere,
      succeeded() {
        for (const [id, message] of written) {
          if (message.message) kept.set(id, message)
          else kept.delete(id)
        }
        for (const id of confirmed) keptConfirmations.add(id)
        nextConfirmation += confirmed.length
      },
      failed() {
        // The same place again, whatever has come meanwhile: places are the order of the messages.
        for (const [id, { place, partCount }] of written) {
          const parts = Math.max(partCount, kept.get(id)?.partCount ?? 0)
          kept.set(id, { place, message: undefined, partCount: parts })
        }
        for (const id of taken.changedMessages) changedMessages.add(id)
        isChanged ||= taken.isChanged
      },
    }
  }

  async function write(isDue: boolean): Promise<boolean> {
    if (!isReadable || host.fence?.aborted) return false
    const mustLast = !isDue || isSaving
    isSaving = false
    // Written already, in a way that a crash of the machine may undo: one strict write makes all last.
    if (mustLast && !isLasting) isChanged = true
    if (changedMessages.size === 0 && !isChanged) return failures === 0
    const { put, remove, everywhere, succeeded, failed } = collect()
    const options: StorageWriteOptions = mustLast ? { durability: 'strict' } : {}
    try {
      // First, so that what holds everywhere is known there when it is known here.
      if (everywhere.size > 0) {
        await storage.write(EVERYWHERE, { put: everywhere }, options)
        if (host.fence?.aborted) return false
      }
      await storage.write(namespace, { put, remove }, options)
      succeeded()
      isLasting = mustLast
      failures = 0
      return true
    } catch (cause) {
      failed()
      failures++
      if (failures === 1) host.report(storageFailed('stored yet; it is tried again', cause))
      schedule(Math.min(retryMs * 2 ** (failures - 1), LONGEST_RETRY_MS))
      return false
    }
  }

  /** One write after the other, each with everything that has changed by then. */
  function save(isDue: boolean): Promise<boolean> {
    clearTimeout(timer)
    timer = undefined
    // A write that was due before takes what this one is for.
    isSaving ||= !isDue
    last = last.then(() => write(isDue))
    return last
  }

  function schedule(ms: number): void {
    if (isClosed) return
    if (timer !== undefined) {
      // What need not wait overtakes what may, but not a store that is given time to recover.
      if (ms >= timerMs || failures > 0) return
      clearTimeout(timer)
    }
    timerMs = ms
    timer = setTimeout(() => void save(true), ms)
  }

  /** A page that is hidden may never be seen again. */
  const page = 'document' in globalThis ? globalThis.document : undefined
  const onHidden = () => void (page?.visibilityState === 'hidden' && save(true))
  page?.addEventListener('visibilitychange', onHidden)

  return {
    async restore() {
      try {
        await closings.get(storage)?.get(namespace)
        const records = await storage.read(namespace)
        const about = records.get(KEYS.about)
        if (isSummary(about) && about.version > RECORDS_VERSION) throw newer(about.version)
        const everywhere = readEverywhere(await storage.read(EVERYWHERE))
        const stored = take(records, everywhere)
        isReadable = true
        return stored
      } catch (cause) {
        // What cannot be read is not written over.
        host.report(
          isEngineError(cause) ? cause : storageFailed('read; nothing of it is stored', cause),
        )
        return undefined
      }
    },
    changed(messageId) {
      if (isClosed) return
      if (messageId === undefined) isChanged = true
      else changedMessages.add(messageId)
      // A text that streams changes all the time; anything else is stored as soon as it is done.
      schedule(host.getState().processingState === 'completing' ? streamingMs : 0)
    },
    save: () => save(false),
    async close() {
      page?.removeEventListener('visibilitychange', onHidden)
      isClosed = true
      const ofStorage = closings.get(storage) ?? new Map<string, Promise<void>>()
      const closing = save(true).then(() => {
        if (ofStorage.get(namespace) === closing) ofStorage.delete(namespace)
      })
      closings.set(storage, ofStorage.set(namespace, closing))
      await closing
    },
  }
}

/** One write, as it was collected. */
interface Writing {
  readonly put: ReadonlyMap<string, JSONValue>
  readonly remove: readonly string[]
  readonly everywhere: ReadonlyMap<string, JSONValue>
  succeeded(): void
  /** What was collected is to be written again. */
  failed(): void
}

function putMessage(
  put: Map<string, JSONValue>,
  place: number,
  message: UIMessage,
  before: UIMessage | undefined,
): void {
  const isSameHead =
    before?.role === message.role &&
    before.metadata === message.metadata &&
    before.parts.length === message.parts.length
  if (!isSameHead) put.set(KEYS.message(place), headOf(message))
  for (const [index, part] of message.parts.entries()) {
    if (part !== before?.parts[index]) put.set(KEYS.part(place, index), toJson(part))
  }
}

function storageFailed(what: string, cause: unknown): EngineError {
  const text = `The conversation could not be ${what}: ${describeThrown(cause)}`
  return new EngineError('storage_failed', text, { cause, retryable: true })
}

function newer(version: number): EngineError {
  const text = `This conversation was stored by a newer version (records ${version}): update the app.`
  return new EngineError('storage_newer', text, { details: { version } })
}
