import type { UIMessage } from 'ai'
import { toEngineError } from './errors.ts'
import { dropStep } from './retry.ts'
import type { Run } from './run.ts'
import { requestStep } from './step.ts'
import { patchTurn, type TurnHost } from './turn-host.ts'

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
    const again = run.isAlive && delivery?.resending(store.getState(), failure, resend, now())
    if (!again) throw failure
    // The turn as it was before the step, but for what has come of its calls.
    store.batch(() => {
      store.detach()
      const { lastStep, step = 0 } = store.getState().turn ?? {}
      if (lastStep) dropStep(store, lastStep)
      patchTurn(host, { step: lastStep ? lastStep.step - 1 : step, sending: again })
    })
    run.isNextRequested = true
  }
}
