import { setImmediate } from 'node:timers'

/** How long what is found at once may follow each other, in milliseconds. */
const LONGEST_MS = 8

/** Keeps a loop over what is found at once from holding up everything else. */
export interface Turns {
  /** Resolves with what was found: at once, or, when that went on for long, once others had a turn. */
  after<T>(found: T): Promise<T>
}

export function othersHaveTurns(): Turns {
  /** When the first of this turn was found. */
  let began: number | undefined

  return {
    after<T>(found: T): Promise<T> {
      if (began === undefined) {
        began = performance.now()
        setImmediate(() => {
          began = undefined
        })
      } else if (performance.now() - began > LONGEST_MS) {
        return new Promise((resolve) => void setImmediate(() => resolve(found)))
      }
      return Promise.resolve(found)
    },
  }
}
