import type { UIMessage } from 'ai'
import { toEngineError, type EngineError } from './errors.ts'
import { tellOfRefusal } from './hooks.ts'
import { refOf } from './message/tool-calls.ts'
import { dropStep } from './retry.ts'
import type { Run } from './run.ts'
import type { TurnState } from './state.ts'
import { requestStep } from './step.ts'
import { createContext, patchTurn, type TurnHost } from './turn-host.ts'

/**
 * Requests a step. When that fails and it carried decisions for a ledger that has not answered, the
 * step is still due: the loop comes back here, and it is requested again when its time has come.
 */
export async function sendStep<MESSAGE extends UIMessage>(
  host: TurnHost<MESSAGE>,
  run: Run,
): Promise<void> {
  const { store, delivery, resend, now } = host
  const { sending } = store.getState().turn ?? {}
  if (delivery && !(await delivery.isTime(sending, run, now()))) {
    run.isNextRequested = true
    return
  }
  try {
    await requestStep(host, run)
  } catch (error) {
    const failure = toEngineError(error, 'hook_failed')
    if (isRefused(host, run, failure)) return
    const again = run.isAlive && delivery?.resending(store.getState(), failure, resend, now())
    if (!again) throw failure
    store.batch(() => undoStep(host, { sending: again }))
    run.isNextRequested = true
  }
}

/** The turn as it was before the step, but for what has come of its calls. */
function undoStep<MESSAGE extends UIMessage>(
  host: TurnHost<MESSAGE>,
  facts: Partial<TurnState>,
): void {
  const { store } = host
  store.detach()
  const { lastStep, step = 0 } = store.getState().turn ?? {}
  if (lastStep) dropStep(store, lastStep)
  patchTurn(host, { step: lastStep ? lastStep.step - 1 : step, ...facts })
}

/** Whether the server refused decisions that the step carried: then their calls wait again, and the step is not due. */
function isRefused<MESSAGE extends UIMessage>(
  host: TurnHost<MESSAGE>,
  run: Run,
  failure: EngineError,
): boolean {
  const { store, plugins, delivery, report } = host
  if (!run.isAlive || !delivery) return false
  return store.batch(() => {
    const { messages } = store.getState()
    tellOfRefusal(plugins, createContext(host, run), failure, report)
    if (store.getState().messages === messages) return false
    undoStep(host, { sending: undefined, underWay: delivery.sent(store.getState()).map(refOf) })
    return true
  })
}
