import { EventEmitter, once } from 'node:events'

/** A clock that goes on only when a test says so. */
export interface ManualClock {
  now(): number
  wait(ms: number, signal: AbortSignal): Promise<void>
  /** Lets so many milliseconds pass; waits that end meanwhile end in order. */
  advance(ms: number): void
  /** Milliseconds until each of the waits ends, shortest first. */
  waits(): number[]
  /** The same for the first one that began as no longer than this. */
  shortWait(most: number): number | undefined
  /** Resolves when the next wait begins. */
  nextWait(signal: AbortSignal): Promise<unknown>
}

interface Wait {
  readonly ms: number
  readonly at: number
  end(): void
}

export function manualClock(start = Date.UTC(2026, 10, 21, 9)): ManualClock {
  let time = start
  const waits = new Set<Wait>()
  const events = new EventEmitter().setMaxListeners(0)
  return {
    now: () => time,
    wait(ms, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const cancel = (): void => {
        waits.delete(wait)
        reject(signal.reason)
      }
      const wait: Wait = {
        ms,
        at: time + ms,
        end() {
          waits.delete(wait)
          signal.removeEventListener('abort', cancel)
          resolve()
        },
      }
      if (signal.aborted) reject(signal.reason)
      else {
        waits.add(wait)
        events.emit('wait')
        signal.addEventListener('abort', cancel, { once: true })
      }
      return promise
    },
    advance(ms) {
      time += ms
      for (const wait of [...waits].sort((a, b) => a.at - b.at)) if (wait.at <= time) wait.end()
    },
    nextWait: (signal) => once(events, 'wait', { signal }),
    shortWait(most) {
      const short = [...waits].filter(({ ms }) => ms <= most).map(({ at }) => at - time)
      return short.length === 0 ? undefined : Math.min(...short)
    },
    waits: () => [...waits].map(({ at }) => at - time).sort((a, b) => a - b),
  }
}
