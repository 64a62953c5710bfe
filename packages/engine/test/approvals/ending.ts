import { toolCallsOf } from '../../src/message/tool-calls.ts'
import { toolCallStatus } from '../../src/message/tool-part.ts'
import type { EngineState } from '../../src/state.ts'
import type { DecisionPlan } from './plan.ts'

/** Over, with nothing left to send, or waiting for a person. */
export function isAtRest({ requestState, queue, messages }: EngineState): boolean {
  if (requestState !== 'paused') {
    return requestState !== 'processing' && queue.every(({ held }) => held)
  }
  return messages
    .flatMap((message) => toolCallsOf(message))
    .some(({ part }) => ['awaiting-approval', 'awaiting-output'].includes(toolCallStatus(part)))
}

/** A plain decision on one of the calls, with which a play comes to its end. */
export function decisionOn(which: number, outcome: 'yes' | 'no'): DecisionPlan {
  const scope = { covers: 0, isEverywhere: false, lasts: null, uses: null }
  return { which, outcome, edit: null, scope }
}
