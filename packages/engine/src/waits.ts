import { EngineError } from './errors.ts'
import type { WaitingFor, WaitSubject } from './state.ts'

/** How long a wait lasts before it is shown, in milliseconds: what is quick must not flicker. */
const SHOWN_AFTER_MS = 1_000

/** How long a hook takes before it is reported where no state can show it, in milliseconds. */
const SLOW_MS = 10_000

/** What the open turn waits for, however many things that are. */
export interface Waits {
  /**
   * Begins a wait. Answers how to end it; ending it twice is ending it once.
   *
   * @param since default: now; what has lasted already is shown at once
   */
  begin(subject: WaitSubject, since?: number): () => void
  /** The turn is over: nothing is waited for any more. */
  clear(): void
}

interface Wait {
  readonly waitingFor: WaitingFor
  timer: ReturnType<typeof setTimeout> | undefined
  isShown: boolean
}

/**
 * Shows the wait that began last among those that have lasted: a hook waits for its rule, and the
 * rule is what there is to say.
 */
export function createWaits(
  now: () => number,
  show: (waitingFor: WaitingFor | undefined) => void,
): Waits {
  const waits = new Set<Wait>()
  const showLast = () => show([...waits].findLast(({ isShown }) => isShown)?.waitingFor)
  return {
    begin(subject, since = now()) {
      const wait: Wait = {
        waitingFor: { ...subject, since },
        isShown: now() - since >= SHOWN_AFTER_MS,
        timer: undefined,
      }
      waits.add(wait)
      if (wait.isShown) showLast()
      else {
        wait.timer = setTimeout(() => {
          wait.isShown = true
          showLast()
        }, SHOWN_AFTER_MS)
      }
      return () => {
        clearTimeout(wait.timer)
        if (waits.delete(wait) && wait.isShown) showLast()
      }
    },
    clear() {
      for (const { timer } of waits) clearTimeout(timer)
      waits.clear()
      show(undefined)
    },
  }
}

/** Waits of no turn: a hook that hangs is reported, once. */
export function reportSlow(report: (error: EngineError) => void): Waits['begin'] {
  return (subject) => {
    const { hook, plugin } = subject.type === 'hook' ? subject : { hook: subject.type, plugin: '' }
    const timer = setTimeout(() => {
      const text = `${hook} of plugin ${plugin} has not ended after ${SLOW_MS / 1_000} s. Messages wait for it.`
      report(new EngineError('hook_slow', text, { details: { plugin, hook } }))
    }, SLOW_MS)
    return () => clearTimeout(timer)
  }
}
