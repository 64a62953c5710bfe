import { StreamLog } from './stream-log.ts'
import type { StreamStore } from './stream-store.ts'

/** Options of {@link memoryStreams}. Sizes are bytes of the streams' events. */
export interface MemoryStreamsOptions {
  /** Of one stream: what is over is dropped from its beginning. Default 8 MB. */
  readonly maxStreamBytes?: number
  /** Of all streams that have ended: the first to end is dropped first. Default 64 MB. */
  readonly maxBytes?: number
  /**
   * How long a stream is kept once it has ended, for a page that was not there at that time.
   * Default 60,000 milliseconds.
   */
  readonly keepMs?: number
  readonly now?: () => number
}

/** How many streams that were dropped are remembered as such. */
const MAX_DROPPED = 1000

/**
 * Keeps streams in the memory of this process, bounded in size and time: reloads are served from
 * here, a restart loses what was streaming.
 *
 * @throws RangeError for a bound that is no positive number
 */
export function memoryStreams({
  maxStreamBytes = 8 * 1024 * 1024,
  maxBytes = 64 * 1024 * 1024,
  keepMs = 60_000,
  now = Date.now,
}: MemoryStreamsOptions = {}): StreamStore {
  for (const [name, value] of Object.entries({ maxStreamBytes, maxBytes, keepMs })) {
    if (!(value > 0)) throw new RangeError(`${name} must be a positive number, not ${value}.`)
  }
  const logs = new Map<string, StreamLog>()
  /** Those that have ended, with the time, the first to end first. */
  const ended = new Map<StreamLog, { key: string; at: number }>()
  let endedBytes = 0
  const dropped = new Set<string>()

  function remove(key: string, log: StreamLog): void {
    if (ended.delete(log)) endedBytes -= log.bytes
    if (logs.get(key) === log) logs.delete(key)
    log.forget()
  }

  function drop(key: string, log: StreamLog): void {
    remove(key, log)
    dropped.add(key)
    const [oldest] = dropped
    if (dropped.size > MAX_DROPPED && oldest !== undefined) dropped.delete(oldest)
  }

  /** Forgets what is over: its time first, then what is too much. */
  function tidy(): void {
    const oldestToKeep = now() - keepMs
    for (const [log, { key, at }] of ended) {
      if (at > oldestToKeep) break
      remove(key, log)
    }
    for (const [log, { key }] of ended) {
      if (endedBytes <= maxBytes) return
      drop(key, log)
    }
  }

  return {
    open(key, requestId) {
      const former = logs.get(key)
      if (former?.isOpen) return undefined
      if (former) remove(key, former)
      dropped.delete(key)
      const log = new StreamLog(maxStreamBytes, requestId)
      logs.set(key, log)
      const unwatch = log.onChange(() => {
        if (log.isOpen) return
        unwatch()
        ended.set(log, { key, at: now() })
        endedBytes += log.bytes
        tidy()
      })
      tidy()
      return log
    },
    find(key) {
      tidy()
      const log = logs.get(key)
      if (log) return log
      return dropped.has(key) ? droppedStream() : undefined
    },
  }
}

function droppedStream(): StreamLog {
  const log = new StreamLog(1)
  log.end()
  log.forget()
  return log
}
