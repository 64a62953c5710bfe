/** A clock whose time goes on only when somebody says so, from one timer to the next. */
export interface VirtualClock {
  now(): number
  schedule(run: () => void, ms: number): () => void
  /** Goes on to the next timer, or by `ms` when there is none before that. */
  next(ms: number): void
}

export function virtualClock(): VirtualClock {
  const timers = new Map<object, { readonly at: number; readonly run: () => void }>()
  let time = 1_700_000_000_000

  return {
    now: () => time,
    schedule(run, ms) {
      const key = {}
      timers.set(key, { at: time + ms, run })
      return () => void timers.delete(key)
    },
    next(ms) {
      const until = time + ms
      const [first] = [...timers].sort(([, one], [, other]) => one.at - other.at)
      if (!first || first[1].at > until) {
        time = until
        return
      }
      const [key, { at, run }] = first
      timers.delete(key)
      time = Math.max(time, at)
      run()
    },
  }
}
