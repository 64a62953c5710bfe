import type { StreamStore } from '@assent/node'
import { DatabaseError } from '../database-error.ts'
import type { AssentPostgres } from '../open-postgres.ts'
import { DatabaseStream, type StreamHost } from './database-stream.ts'
import { endedStreams } from './ended-streams.ts'
import { streamFollowing } from './stream-following.ts'
import { LEASE_MS, streamRows } from './stream-rows.ts'
import { streamWriting } from './stream-writing.ts'

/** Options of {@link postgresStreams}. Sizes are bytes of the streams' events. */
export interface PostgresStreamsOptions {
  /** Of one stream: what is over is dropped from its beginning. Default 8 MB. */
  readonly maxStreamBytes?: number
  /** Of all streams that have ended and are still in this process's memory. Default 64 MB. */
  readonly maxBytes?: number
  /**
   * How long a stream is kept once it has ended, for a page that was not there at that time.
   * Default 60,000 milliseconds.
   */
  readonly keepMs?: number
  /** Told what keeps streams from being written. Default: a warning of the process. */
  readonly onError?: (error: unknown) => void
}

const MINUTE_MS = 60_000

/**
 * Keeps streams in a database, so that an answer that one process makes is taken up, and stopped, at any
 * other. When the process that makes it dies, those who read it are cut off, and told that it is gone.
 *
 * @throws DatabaseError `invalid_argument` for a bound that is no positive number
 */
export function postgresStreams(
  database: AssentPostgres,
  {
    maxStreamBytes = 8 * 1024 * 1024,
    maxBytes = 64 * 1024 * 1024,
    keepMs = 60_000,
    onError = warn,
  }: PostgresStreamsOptions = {},
): StreamStore {
  for (const [name, value] of Object.entries({ maxStreamBytes, maxBytes, keepMs })) {
    if (value > 0 && Number.isSafeInteger(value)) continue
    throw new DatabaseError('invalid_argument', `${name} is a whole number above 0, not ${value}.`)
  }
  const { closed, news } = database
  const rows = streamRows(database)
  const own = new Map<number, DatabaseStream>()
  /** The last one of each conversation that this process wrote, while it is kept. */
  const latest = new Map<string, DatabaseStream>()
  const ended = endedStreams({ maxBytes, keepMs })
  const reading = new Set<DatabaseStream>()
  const following = streamFollowing(rows, own, news, closed)
  const writing = streamWriting(rows, {
    closed,
    onError,
    onRecorded(stream) {
      own.delete(stream.id)
      beatOrRest()
      ended.keep(stream, () => {
        for (const [key, one] of latest) if (one === stream) latest.delete(key)
      })
    },
  })
  /** Streams to which readers came, or which the last one left, since that was told. */
  const moved = new Set<DatabaseStream>()
  let telling: Promise<void> | undefined
  let beat: NodeJS.Timeout | undefined
  let tidiedAt = -Infinity

  const host: StreamHost = {
    onUse(stream) {
      if (stream.isReadHere !== reading.has(stream)) {
        if (stream.isReadHere) reading.add(stream)
        else reading.delete(stream)
        moved.add(stream)
        tellSoon()
      }
      if (!stream.isOwn) following.use(stream)
      beatOrRest()
    },
    onWritten: (stream) => writing.write(stream),
    stop: (id, cause) => rows.stop(id, cause),
  }

  /** All of them together, however many: who comes last does not wait for each before. */
  function tellSoon(): void {
    telling ??= tellMoved().then(() => {
      telling = undefined
      if (moved.size > 0) tellSoon()
    })
  }

  async function tellMoved(): Promise<void> {
    // What happens in one go is one statement.
    await Promise.resolve()
    const [come, gone]: [number[], number[]] = [[], []]
    for (const { isReadHere, id } of moved) (isReadHere ? come : gone).push(id)
    moved.clear()
    await tell(async () => {
      if (come.length > 0) await rows.read(come)
      if (gone.length > 0) await rows.leave(gone)
    })
  }

  /** What another process hears a little later or not at all costs it time only. */
  async function tell(say: () => Promise<void>): Promise<void> {
    try {
      await say()
    } catch (error) {
      if (!closed.aborted) onError(error)
    }
  }

  /** Gives signs of life, of what is written and of who reads, as long as there are any. */
  function beatOrRest(): void {
    if (own.size + reading.size === 0 || closed.aborted) {
      clearInterval(beat)
      beat = undefined
      return
    }
    beat ??= setInterval(() => void tell(signOfLife), LEASE_MS / 3)
    beat.unref()
  }

  async function signOfLife(): Promise<void> {
    const places = new Map([...own.values()].map((stream) => [stream.id, writing.placeOf(stream)]))
    if (places.size > 0) {
      const alive = await rows.renew(places)
      for (const id of places.keys()) if (!alive.has(id)) following.look(id)
    }
    if (reading.size > 0) await rows.read([...reading].map(({ id }) => id))
  }

  function tidy(): void {
    if (performance.now() - tidiedAt < MINUTE_MS) return
    tidiedAt = performance.now()
    // Readers elsewhere may be about to read what has just ended.
    void rows.tidy(Math.max(keepMs, MINUTE_MS)).catch(onError)
  }

  closed.addEventListener('abort', () => {
    for (const stream of own.values()) stream.lose()
    beatOrRest()
  })

  return {
    async open(key, requestId) {
      tidy()
      const former = latest.get(key)
      if (former?.isOpen) return undefined
      // Its end is on its way to the database.
      if (former) await writing.over()
      const id = await rows.open(key, requestId)
      if (id === undefined) return undefined
      const found = { id, requestId, isOpen: true, isDropped: false, readers: 0 }
      const stream = new DatabaseStream(host, found, { isOwn: true, maxBytes: maxStreamBytes })
      own.set(id, stream)
      latest.set(key, stream)
      if (former) ended.forget(former)
      following.listen()
      beatOrRest()
      return stream
    },
    async find(key) {
      const mine = latest.get(key)
      if (mine?.isOpen) return mine
      const row = await rows.find(key, keepMs)
      if (!row) return undefined
      if (row.isOpen) await rows.sweep()
      if (mine?.id === row.id) return mine
      const known = following.find(row.id)
      if (known) return known
      if (row.isLapsed) await rows.lose(row.id)
      const found = row.isLapsed ? { ...row, isOpen: false, isDropped: true } : row
      return new DatabaseStream(host, found, { isOwn: false, maxBytes: maxStreamBytes })
    },
  }
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error))
}
