import { failureOf } from './failure.ts'
import type { WorkerParts } from './worker-parts.ts'

const FIRST_MS = 100
const LONGEST_MS = 2_000

/** Does something until it is done. */
export type Insist = <RESULT>(act: () => Promise<RESULT>) => Promise<RESULT>

/**
 * Has what a store refuses for now done as soon as the store is back, so that a blip of a database leaves no task
 * to the end of its lease. Whatever is done has to bear being done twice: an answer may have been lost.
 *
 * @param stop nobody waits any more: what fails from then on is thrown
 */
export function insistUntil({ schedule, report }: WorkerParts, stop: AbortSignal): Insist {
  return async (act) => {
    for (let delay = FIRST_MS; ; delay = Math.min(LONGEST_MS, delay * 2)) {
      try {
        return await act()
      } catch (error) {
        if (stop.aborted || failureOf(error).outage !== 'storage') throw error
        if (delay === FIRST_MS) report(error)
        await new Promise<void>((resolve) => {
          const cancel = schedule(go, delay)
          function go(): void {
            cancel()
            stop.removeEventListener('abort', go)
            resolve()
          }
          stop.addEventListener('abort', go)
        })
      }
    }
  }
}
