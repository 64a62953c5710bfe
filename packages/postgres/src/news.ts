import { randomUUID } from 'node:crypto'
import { createListener } from './listener.ts'
import type { AskSession } from './session.ts'

/** What is told in a channel: names of what has changed, never what it is. */
export interface NewsReader {
  /** Something of these names has changed, as another process says. */
  onRung(names: ReadonlySet<string>): void
  /** Word may have been lost, or may be from now on: look at everything. */
  onMissed(): void
}

/**
 * What processes tell each other. A bell that is lost must cost time only, so that all who listen also
 * look by themselves, every `patienceMs`.
 */
export interface News {
  /** Whether others are heard at once. */
  readonly isLive: boolean
  /** After how many milliseconds to look, whatever was heard: often, where nothing can be heard. */
  readonly patienceMs: number
  /** Returns how to listen no more. */
  on(channel: NewsChannel, reader: NewsReader): () => void
  /**
   * Tells the other processes, a moment later, together with what else is to be told. Never inside a
   * transaction: PostgreSQL would make all durable commits of the server wait in line.
   *
   * @param name without a space, and short
   */
  ring(channel: NewsChannel, name: string): void
  /** The same as texts to notify with, for a statement that writes nothing durable. */
  payloadsOf(names: Iterable<string>): readonly string[]
  /** Tells at once what is still to be told, and ends. */
  close(): Promise<void>
}

/** One for each kind of news, so that nobody hears what is of no use to it. */
export type NewsChannel =
  | 'assent_records'
  | 'assent_tasks'
  | 'assent_streams'
  | 'assent_channels'
  | 'assent_leases'

/** What news are made with. */
export interface NewsOptions {
  readonly url: string
  /** Names this process: it does not listen to itself. */
  readonly sender: string
  /** Tells, by any connection. */
  readonly notify: (channel: string, payload: string) => Promise<void>
  readonly onError: (error: unknown) => void
  /** It hears others, on a connection that is its own until it is lost. */
  readonly onLive: (ask: AskSession) => void
  /** That connection was lost. */
  readonly onLost: () => void
}

/** How long what is to be told is gathered. */
const GATHER_MS = 5
/** PostgreSQL takes less than 8,000 bytes. */
const PAYLOAD_LENGTH = 7_500
const LIVE_PATIENCE_MS = 5_000
const POLLING_PATIENCE_MS = 250
/** How long the first bell may take, before it is taken for one that nobody can hear. */
const PROOF_MS = 1_000
const DEAF =
  'Bells do not arrive: the URL may be that of a pooler by transaction. Processes look for news every ' +
  `${POLLING_PATIENCE_MS} ms instead; give the URL of the database itself as listenUrl.`

export async function createNews({
  url,
  sender,
  notify,
  onError,
  ...options
}: NewsOptions): Promise<News> {
  const readers = new Map<NewsChannel, Set<NewsReader>>()
  const toTell = new Map<NewsChannel, Set<string>>()
  let gathering: NodeJS.Timeout | undefined
  let telling: Promise<void> = Promise.resolve()
  let isLive = false
  let isWarned = false
  let isClosed = false

  function readersOf(channel: string): readonly NewsReader[] {
    return [...readers].flatMap(([name, all]) => (name === channel ? [...all] : []))
  }

  function hear(channel: string, payload: string): void {
    const [from, ...names] = payload.split(' ')
    if (from === sender) return
    for (const reader of readersOf(channel)) reader.onRung(new Set(names))
  }

  function lookAgain(): void {
    for (const [channel] of readers) for (const reader of readersOf(channel)) reader.onMissed()
  }

  async function tell(): Promise<void> {
    clearTimeout(gathering)
    gathering = undefined
    const all = [...toTell]
    toTell.clear()
    for (const [channel, names] of all) {
      for (const payload of payloadsOf(sender, names)) {
        // Who does not hear of it looks by itself.
        await notify(channel, payload).catch((error: unknown) => {
          if (!isClosed) onError(error)
        })
      }
    }
  }

  // Rung to oneself: some poolers let one listen, and never deliver.
  const proof = `assent_${randomUUID().replaceAll('-', '')}`
  const attempted = Promise.withResolvers<void>()
  let late: NodeJS.Timeout | undefined

  function listening(): void {
    // Other news may have got lost since it listened before.
    void notify(proof, sender).catch(() => undefined)
    late = setTimeout(() => {
      attempted.resolve()
      if (!isLive && !isWarned && !isClosed) onError(new Error(DEAF))
      isWarned = true
    }, PROOF_MS)
  }

  const listener = createListener({
    url,
    onHeard(channel, payload) {
      if (channel !== proof) return hear(channel, payload)
      clearTimeout(late)
      isLive = true
      options.onLive(listener.ask)
      attempted.resolve()
      lookAgain()
    },
    onListening: listening,
    onLost(error) {
      clearTimeout(late)
      const wasLive = isLive
      isLive = false
      options.onLost()
      if (wasLive || !isWarned) onError(error)
      isWarned = true
      attempted.resolve()
      lookAgain()
    },
  })
  void listener.listen(proof)
  await attempted.promise

  return {
    get isLive() {
      return isLive
    },
    get patienceMs() {
      return isLive ? LIVE_PATIENCE_MS : POLLING_PATIENCE_MS
    },
    on(channel, reader) {
      const all = readers.get(channel) ?? new Set()
      readers.set(channel, all)
      // The same reader may listen twice.
      const own: NewsReader = {
        onRung: (names) => reader.onRung(names),
        onMissed: () => reader.onMissed(),
      }
      all.add(own)
      // Bells that were rung before it listens were not heard.
      void listener.listen(channel).then(() => all.has(own) && own.onMissed())
      return () => {
        all.delete(own)
        if (all.size === 0) listener.unlisten(channel)
      }
    },
    ring(channel, name) {
      if (isClosed) return
      const names = toTell.get(channel) ?? new Set()
      toTell.set(channel, names.add(name))
      gathering ??= setTimeout(() => {
        telling = telling.then(tell)
      }, GATHER_MS)
    },
    payloadsOf: (names) => payloadsOf(sender, names),
    async close() {
      isClosed = true
      await telling
      await tell()
      clearTimeout(late)
      await listener.close()
    },
  }
}

/** The names as few texts, none of which is too long. */
function payloadsOf(sender: string, names: Iterable<string>): string[] {
  const payloads: string[] = []
  let payload = sender
  for (const name of names) {
    if (payload.length + name.length + 1 > PAYLOAD_LENGTH) {
      payloads.push(payload)
      payload = sender
    }
    payload += ` ${name}`
  }
  return [...payloads, payload]
}
