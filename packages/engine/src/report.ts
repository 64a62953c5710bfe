import { EngineError, toEngineError } from './errors.ts'

/** Tells of failures. What tells of them may fail itself: that must not become the engine's. */
export interface Reporter {
  /** To `onError`; without it to the console. */
  report(error: EngineError): void
  /** To `onError` only: the state shows it as well. */
  tell(error: EngineError): void
  /** What a callback threw that only observes. */
  reportThrown(observer: string, cause: unknown): void
}

/** @param to looked at each time */
export function createReporter(to: { readonly onError?: (error: EngineError) => void }): Reporter {
  function tell(error: EngineError): void {
    try {
      to.onError?.(error)
    } catch (cause) {
      console.error(toEngineError(cause, 'callback_failed', 'onError threw'))
    }
  }

  function report(error: EngineError): void {
    if (to.onError) tell(error)
    else console.error(error)
  }

  return {
    report,
    tell,
    reportThrown(observer, cause) {
      const message = `${observer} threw; the engine went on.`
      report(new EngineError('callback_failed', message, { cause }))
    },
  }
}
