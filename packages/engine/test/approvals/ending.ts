import type { ConfirmationOutcome } from '../../src/confirmation.ts'
import { toolCallsOf } from '../../src/message/tool-calls.ts'
import { toolCallStatus } from '../../src/message/tool-part.ts'
import type { EngineState } from '../../src/state.ts'
import type { DecisionPlan, PlayStep } from './plan.ts'

/** Over, with nothing left to send, or waiting for a person. */
export function isAtRest({ requestState, queue, messages }: EngineState): boolean {
  if (requestState !== 'paused') {
    return requestState !== 'processing' && queue.every(({ held }) => held)
  }
  return messages
    .flatMap((message) => toolCallsOf(message))
    .some(({ part }) => ['awaiting-approval', 'awaiting-output'].includes(toolCallStatus(part)))
}

/** A step by itself, or those that it stands for. */
export function stepsOf(step: PlayStep): readonly Exclude<PlayStep, { stop: unknown }>[] {
  if (!('stop' in step)) return [step]
  const decision = decisionOn(0, 'yes_always')
  return [
    { rest: true },
    { move: { do: 'decide', decision, next: 'nothing' }, after: 0 },
    { rest: true },
    { move: { do: 'stopAll', next: step.stop }, after: 0 },
    { rest: true },
  ]
}

/** A plain decision on one of the calls; of an always about all calls of its tool. */
export function decisionOn(which: number, outcome: ConfirmationOutcome): DecisionPlan {
  const scope = { covers: 0, isEverywhere: false, lasts: null, uses: null }
  return { which, outcome, edit: null, scope }
}
