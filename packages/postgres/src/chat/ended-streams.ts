import type { DatabaseStream } from './database-stream.ts'

/** Streams that have ended, as long as they stay in memory beside the database: the first to end goes first. */
export interface EndedStreams {
  keep(stream: DatabaseStream, onGone: () => void): void
  forget(stream: DatabaseStream): void
}

export function endedStreams({
  maxBytes,
  keepMs,
}: {
  readonly maxBytes: number
  readonly keepMs: number
}): EndedStreams {
  const kept = new Map<DatabaseStream, () => void>()
  let bytes = 0

  function drop(stream: DatabaseStream): void {
    const onGone = kept.get(stream)
    if (!onGone) return
    kept.delete(stream)
    bytes -= stream.bytes
    onGone()
  }

  return {
    keep(stream, onGone) {
      kept.set(stream, onGone)
      bytes += stream.bytes
      for (const [oldest] of kept) {
        if (bytes <= maxBytes) break
        drop(oldest)
      }
      setTimeout(() => drop(stream), keepMs).unref()
    },
    forget: drop,
  }
}
