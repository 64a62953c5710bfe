import { getCurrentScope, onScopeDispose, shallowRef, watch } from 'vue'

/** The longest that timers can wait, in milliseconds. */
const LONGEST_WAIT = 2 ** 31 - 1

/** A clock that wakes its readers. Milliseconds since the epoch. */
export interface Clock {
  /** The time; an effect that reads it runs again when the moment of an alarm has come. */
  read(): number
  /**
   * Sets one timer for the next of some moments, anew whenever it is another. Ends with the scope.
   *
   * @param next reactive; `Infinity` while there is nothing to wait for
   */
  wakeAt(next: () => number): void
}

/** A {@link Clock} by which time passes as `now` says. */
export function useClock(now: () => number): Clock {
  const wakings = shallowRef(0)
  let timer: ReturnType<typeof setTimeout> | undefined

  return {
    read() {
      void wakings.value
      return now()
    },
    wakeAt(next) {
      watch(
        // The wakings too: a moment that is further away than timers reach is waited for in parts.
        [next, wakings],
        ([moment]) => {
          clearTimeout(timer)
          if (moment === Infinity) return
          const wait = Math.min(Math.max(moment - now(), 0), LONGEST_WAIT)
          timer = setTimeout(() => (wakings.value += 1), wait)
        },
        { immediate: true },
      )
      if (getCurrentScope()) onScopeDispose(() => clearTimeout(timer))
    },
  }
}
