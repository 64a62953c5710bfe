import type { News } from '../news.ts'
import type { DatabaseStream } from './database-stream.ts'
import type { StreamRows } from './stream-rows.ts'

/** Reads the streams of other processes, all of them together, and hears what they want of those of this one. */
export interface StreamFollowing {
  /** Somebody here reads or watches it, or nobody does any more. */
  use(stream: DatabaseStream): void
  /** One that somebody here reads or watches. */
  find(id: number): DatabaseStream | undefined
  /** Looks what the database says of one. */
  look(id: number): void
  /** Hears from now on what is said of the streams of this process. */
  listen(): void
}

/** How often is looked by itself, at most: a bell may get lost, and the dead ring none. */
const LOOK_MS = 1_000

/** @param own the streams that this process writes */
export function streamFollowing(
  rows: StreamRows,
  own: ReadonlyMap<number, DatabaseStream>,
  news: News,
  closed: AbortSignal,
): StreamFollowing {
  const followed = new Map<number, DatabaseStream>()
  const toLook = new Set<number>()
  let looking: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let stopListening: (() => void) | undefined
  /** It looks by itself: writers that are gone ring no bell. */
  let isPolling = false

  function lookAtAll(): void {
    for (const id of [...followed.keys(), ...own.keys()]) toLook.add(id)
    lookSoon()
  }

  function lookSoon(): void {
    if (looking || toLook.size === 0 || closed.aborted) return
    looking = lookNow()
      // What cannot be read now is read at the next look.
      .catch(() => undefined)
      .then(() => {
        looking = undefined
        lookSoon()
      })
  }

  async function lookNow(): Promise<void> {
    const ids = [...toLook]
    toLook.clear()
    const places = new Map<number, number>()
    for (const id of ids) {
      const stream = followed.get(id)
      if (stream) places.set(id, stream.place)
    }
    if (followed.size > 0 && isPolling) await rows.sweep()
    isPolling = false
    const [found, parts] = await Promise.all([
      rows.look(ids),
      places.size === 0 ? [] : rows.readAfter(places),
    ])
    const byId = new Map(found.map((row) => [row.id, row]))
    for (const id of ids) {
      const stream = followed.get(id) ?? own.get(id)
      const row = byId.get(id)
      followed.get(id)?.follow(parts.filter((part) => part.id === id))
      if (row?.isLapsed && !stream?.isOwn) await rows.lose(id)
      if (stream?.learn(row)) toLook.add(id)
      if (stream) use(stream)
    }
  }

  function use(stream: DatabaseStream): void {
    if (stream.isFollowed && !closed.aborted) {
      if (followed.has(stream.id)) return
      followed.set(stream.id, stream)
      listen()
      toLook.add(stream.id)
      lookSoon()
    } else followed.delete(stream.id)
    poll()
  }

  /** Looks by itself while anybody follows another process. */
  function poll(): void {
    if (followed.size === 0 || closed.aborted) {
      clearTimeout(timer)
      timer = undefined
      return
    }
    timer ??= setTimeout(
      () => {
        timer = undefined
        isPolling = true
        lookAtAll()
        poll()
      },
      Math.min(LOOK_MS, news.patienceMs),
    )
    timer.unref()
  }

  function listen(): void {
    if (closed.aborted) return
    stopListening ??= news.on('assent_streams', {
      onRung(names) {
        for (const name of names) {
          const id = Number(name)
          if (followed.has(id) || own.has(id)) toLook.add(id)
        }
        lookSoon()
      },
      onMissed: lookAtAll,
    })
  }

  closed.addEventListener('abort', () => {
    for (const stream of followed.values()) stream.fail('The database was closed.')
    followed.clear()
    poll()
    stopListening?.()
  })

  return {
    use,
    find: (id) => followed.get(id),
    look(id) {
      toLook.add(id)
      lookSoon()
    },
    listen,
  }
}
