import type { UIMessage } from 'ai'
import { toEngineError, type EngineError } from './errors.ts'
import { dropStep } from './retry.ts'
import type { Run } from './run.ts'
import { decisionsToRepeat, isServersAnswer, mayPass } from './sent-decisions.ts'
import { requestStep } from './step.ts'
import { patchTurn, type TurnHost } from './turn-host.ts'

/** How often in a row a server may answer with an error of its own before a person has to say more. */
const MOST_ERRORS = 5

/**
 * Requests a step. When that fails and it carried decisions for a ledger that has not answered, the
 * step is still due: the loop comes back here, and it is requested again when its time has come.
 */
export async function sendStep<MESSAGE extends UIMessage>(
  host: TurnHost<MESSAGE>,
  run: Run,
): Promise<void> {
  if (!(await isTime(host, run))) {
    run.isNextRequested = true
    return
  }
  try {
    await requestStep(host, run)
  } catch (error) {
    const failure = toEngineError(error, 'hook_failed')
    if (!run.isAlive || !isRepeated(host, failure)) throw failure
    undoStep(host, failure)
    run.isNextRequested = true
  }
}

/** Waits until the step may be requested. Answers `false` when something changed before that. */
async function isTime<MESSAGE extends UIMessage>(
  { store, now }: TurnHost<MESSAGE>,
  run: Run,
): Promise<boolean> {
  const { sending } = store.getState().turn ?? {}
  const waitMs = (sending?.nextAt ?? 0) - now()
  if (waitMs <= 0) return true
  if (run.isWoken) return false
  const due = Promise.withResolvers<boolean>()
  const isDue = () => due.resolve(true)
  const timer = setTimeout(isDue, waitMs)
  // Outside of a page nobody says that the network is back.
  globalThis.addEventListener?.('online', isDue)
  void run.wakeUp.promise.then(() => due.resolve(false))
  try {
    return await due.promise
  } finally {
    clearTimeout(timer)
    globalThis.removeEventListener?.('online', isDue)
  }
}

/** Whether the step is to be requested again: it carried decisions, and what failed may pass. */
function isRepeated<MESSAGE extends UIMessage>(
  { store }: TurnHost<MESSAGE>,
  failure: EngineError,
): boolean {
  const { errors = 0 } = store.getState().turn?.sending ?? {}
  const isGivenUp = isServersAnswer(failure) && errors + 1 >= MOST_ERRORS
  return !isGivenUp && mayPass(failure) && decisionsToRepeat(store.getState()).length > 0
}

/** The turn as it was before the step, but for what has come of its calls. */
function undoStep<MESSAGE extends UIMessage>(host: TurnHost<MESSAGE>, failure: EngineError): void {
  const { store, resend, now } = host
  const { baseMs = 500, maxMs = 30_000 } = resend
  store.batch(() => {
    store.detach()
    const { lastStep, step = 0, sending } = store.getState().turn ?? {}
    if (lastStep) dropStep(store, lastStep)
    const failures = (sending?.failures ?? 0) + 1
    const longestMs = Math.min(maxMs, baseMs * 2 ** (failures - 1))
    const askedMs = Number(failure.details['retryAfterMs'] ?? 0)
    const waitMs = Math.max(askedMs, longestMs * (0.5 + Math.random() / 2))
    const errors = isServersAnswer(failure) ? (sending?.errors ?? 0) + 1 : 0
    patchTurn(host, {
      step: lastStep ? lastStep.step - 1 : step,
      sending: { failures, errors, nextAt: now() + waitMs },
    })
  })
}
