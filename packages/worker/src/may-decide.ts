import { decisionRefusal, decisionRefusalText } from '@assent/node'
import type { ConfirmationOutcome } from '@assent/engine'
import type { Task } from './inbox.ts'
import type { TaskAnswer } from './task-answer.ts'
import type { RefusedAnswer, TaskCall } from './task-waiting.ts'

/** An answer to a call of a task that somebody wants to give. */
export interface TaskDecisionAsked {
  /**
   * Who gives it: who was let in by the admin handler, `telegram:` and the number of the user, or what
   * `inbox.answer` was given. `undefined` when nobody said.
   */
  readonly user: string | undefined
  readonly task: Task
  readonly call: TaskCall
  /** `output` for a call that waits for an output. */
  readonly outcome: ConfirmationOutcome | 'output'
}

/** Says who may decide about the calls of tasks; anything but `true` refuses. */
export type MayDecideTask = (asked: TaskDecisionAsked) => boolean | PromiseLike<boolean>

/** After so many milliseconds without an answer a decision is refused. */
const TIMEOUT_MS = 10_000

/** What {@link refusedDecision} asks. */
export interface DecisionRules {
  readonly mayDecide: MayDecideTask | undefined
  /** Told why there was no answer. */
  readonly report: (error: unknown) => void
}

/**
 * Why an answer is not taken, as whoever gave it may not decide about one of its calls.
 *
 * @param calls those that wait
 */
export async function refusedDecision(
  { task, answer, calls }: { task: Task; answer: TaskAnswer; calls: readonly TaskCall[] },
  { mayDecide, report: onError }: DecisionRules,
): Promise<RefusedAnswer | undefined> {
  if (!mayDecide) return undefined
  const { decisions = [], outputs = [], by, user = by } = answer
  const given = [
    ...decisions.map(({ toolCallId, outcome = 'yes' }) => ({ toolCallId, outcome })),
    ...outputs.map(({ toolCallId }) => ({ toolCallId, outcome: 'output' as const })),
  ]
  for (const { toolCallId, outcome } of given) {
    // By the id alone: what else an answer says of a call may be wrong.
    for (const call of calls.filter((one) => one.toolCallId === toolCallId)) {
      // What waits, and what is stored of the task, is nobody's to change.
      const ask = () => mayDecide(structuredClone({ user, task, call, outcome }))
      const refusal = await decisionRefusal(ask, { timeoutMs: TIMEOUT_MS, onError })
      if (!refusal) continue
      return { code: 'may_not_decide', message: decisionRefusalText(refusal, call.toolName), by }
    }
  }
  return undefined
}
