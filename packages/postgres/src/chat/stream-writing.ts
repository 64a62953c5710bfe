import type { DatabaseStream } from './database-stream.ts'
import type { EventRow, StreamRows } from './stream-rows.ts'

/** Writes the streams of this process, all of them together. */
export interface StreamWriting {
  /** Something is to be written of it, or its end. */
  write(stream: DatabaseStream): void
  /** How far it is written. */
  placeOf(stream: DatabaseStream): number
  /** Resolves when what is to be written now was written, or could not be. */
  over(): Promise<void>
}

/** For how long events are gathered: one statement for all streams of the process. */
const WINDOW_MS = 10
/** How long it rests at most when the database cannot be used; it begins with less. */
const LONGEST_REST_MS = 1_000

export function streamWriting(
  rows: StreamRows,
  {
    closed,
    onError,
    onRecorded,
  }: {
    readonly closed: AbortSignal
    readonly onError: (error: unknown) => void
    /** Its end is in the database, or it is no longer this process's. */
    readonly onRecorded: (stream: DatabaseStream) => void
  },
): StreamWriting {
  const waiting = new Set<DatabaseStream>()
  const places = new WeakMap<DatabaseStream, number>()
  /** Parts that were sent, and of which it is not known whether they arrived. */
  let unsure: EventRow[] = []
  /** The streams that were written last, until it is known that their ends are. */
  const written = new Set<DatabaseStream>()
  let timer: NodeJS.Timeout | undefined
  let flight: Promise<void> | undefined
  let failures = 0

  function plan(ms: number): void {
    if (timer !== undefined || flight || closed.aborted) return
    timer = setTimeout(fly, ms)
  }

  function fly(): void {
    clearTimeout(timer)
    timer = undefined
    if (flight) return
    flight = writeAll()
      .then(
        () => {
          failures = 0
        },
        (error: unknown) => {
          // Connections that were cut fail once; what lasts is told once.
          if (++failures === 3 && !closed.aborted) onError(error)
        },
      )
      .then(() => {
        flight = undefined
        if (waiting.size + unsure.length + written.size > 0)
          plan(Math.min(LONGEST_REST_MS, WINDOW_MS * 2 ** failures))
      })
  }

  async function writeAll(): Promise<void> {
    // What may have arrived already goes again as it was: it is not written twice.
    if (unsure.length === 0) {
      for (const stream of waiting) written.add(stream)
      waiting.clear()
      unsure = [...written].flatMap((stream) => stream.takePart() ?? [])
    }
    const parts = new Map(unsure.map((part) => [part.id, part]))
    const alive = unsure.length === 0 ? new Set<number>() : await rows.append(unsure)
    unsure = []
    for (const stream of written) {
      const part = parts.get(stream.id)
      if (part && !alive.has(stream.id)) stream.lose()
      if (part && alive.has(stream.id)) places.set(stream, part.seq)
    }
    for (const stream of written) {
      // What came meanwhile is written before its end.
      if (!stream.isOpen && !waiting.has(stream)) {
        await rows.end(stream.id, placeOf(stream), stream.isDropped)
        onRecorded(stream)
      }
      written.delete(stream)
    }
  }

  const placeOf = (stream: DatabaseStream): number => places.get(stream) ?? 0

  return {
    write(stream) {
      waiting.add(stream)
      plan(WINDOW_MS)
    },
    placeOf,
    async over() {
      if (waiting.size > 0) fly()
      await flight
      if (waiting.size === 0 || failures > 0) return
      fly()
      await flight
    },
  }
}
