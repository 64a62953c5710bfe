import { toolCallsOf } from '../../src/message/tool-calls.ts'
import {
  assentMetadata,
  isSettled,
  toolCallStatus,
  type ToolCallPart,
} from '../../src/message/tool-part.ts'
import { deriveApprovalPolicies } from '../../src/plugins/tools/policies.ts'
import type { EngineState } from '../../src/state.ts'
import { sameJson } from './clicks.ts'
import type { Call, Policy } from '../../src/testing/decision-model.ts'
import { INPUTS } from './scopes.ts'
import type { Stage } from './stage.ts'
import { awaitsOutput, endOf } from './standing.ts'
import type { Witness } from './witness.ts'

const RUNS = 'I2 what was let run does run, and what is to be asked is asked'

/** What the state is like in which a call has come to rest. */
interface Rest {
  /** Whether its turn waits for somebody. */
  readonly isWaiting: boolean
  /** Whether it waits for others: for its gate, or to be sent with them. */
  readonly isMet: boolean
  readonly isPaused: boolean
}

/** Holds what has come to rest, or to its end, to the model. */
export class Inspector {
  readonly #stage: Stage
  readonly #witness: Witness

  constructor(stage: Stage, witness: Witness) {
    this.#stage = stage
    this.#witness = witness
  }

  /** Everything that happens by itself has happened: holds where each call stands to the model. */
  rests(state: EngineState): void {
    const { model, now, plan } = this.#stage
    const { requestState, confirmations, messages } = state
    const isPaused = requestState === 'paused'
    const parts = messages.flatMap((message) => toolCallsOf(message)).map(({ part }) => part)
    const statuses = parts.map((part) => toolCallStatus(part))
    const isAsking = isPaused && statuses.includes('awaiting-approval')
    const isWaiting = isPaused && (isAsking || statuses.includes('awaiting-output'))
    for (const part of parts) {
      const call = this.#witness.callOf(part)
      if (!call) continue
      if (isSettled(part)) this.#checkSettled(call, part)
      else {
        // What was answered for a server is sent with a retry, or closed with the next message.
        const isFailed = requestState === 'error'
        const isUnsent = isWaiting || requestState === 'idle' || isFailed
        const isGateShut = isAsking && plan.gate === 'step'
        const isMet = call.isGuarded ? isUnsent : isGateShut
        this.#checkOpen(call, part, { isWaiting: isWaiting || isFailed, isMet, isPaused })
      }
    }
    const known = deriveApprovalPolicies(confirmations, {
      now: now(),
      conversationId: model.conversation,
    })
    const expected = [...model.policies.values()].filter(
      ({ isEverywhere, conversation }) => isEverywhere || conversation === model.conversation,
    )
    const isSame = sameJson(
      known.map(({ id, status, uses }) => [id, status, uses]),
      expected.map((policy) => [policy.id, statusOf(policy, now()), policy.used]),
    )
    this.#stage.watch.hold('I8 policies are those of the history', isSame, { known, expected })
  }

  #checkOpen(call: Call, part: ToolCallPart, { isWaiting, isMet, isPaused }: Rest): void {
    const { model, watch, now } = this.#stage
    const status = toolCallStatus(part)
    const { says } = model.verdict(call)
    const isRight = {
      'awaiting-approval': isWaiting && (says === 'ask' || call.mayWait),
      'awaiting-output': isWaiting && (awaitsOutput(this.#stage, call) || call.isLapsed),
      scheduled: isMet,
      denied: isMet || isWaiting,
    }[String(status)]
    watch.hold(RUNS, isRight ?? false, { status, says, call, part })
    if (isPaused && status === 'scheduled' && call.policy && !call.answer && !call.isStarted) {
      watch.hold(
        'I7 a revocation asks again at once',
        !call.policy.isRevoked || call.isLapsed,
        call,
      )
    }
    if (status !== 'awaiting-approval') return
    if (call.rule === 'fail' && model.covering(call)) {
      watch.hold('I6 no policy beats a failed check', true)
    }
    for (const policy of model.policies.values()) {
      if (call.isDestroy && policy.tool === call.tool && policy.matches !== 'same') {
        watch.hold('I6 only the exact input covers what destroys', true)
      }
    }
    for (const policy of model.covers(call)) {
      const isStanding = model.isAlive(policy) && policy.used < policy.uses
      if (!isStanding) watch.hold(endOf(policy, now()), true)
    }
  }

  #checkSettled(call: Call, part: ToolCallPart): void {
    const { model, watch, plan } = this.#stage
    const { ended, submitted } = assentMetadata(part)
    if (submitted || call.isNever) return
    const count = this.#witness.ranTimes(call)
    if (part.state === 'output-available') watch.hold(RUNS, count === 1, { call, part })
    else if (part.state === 'output-denied' && !ended) {
      watch.hold(RUNS, model.verdict(call).says === 'deny', { denied: 'by nobody', call })
    } else if (part.state === 'output-error' && (!ended || ended === 'timeout')) {
      // Its time may be up before it is stored that it starts.
      const isEarly = ended === 'timeout' && plan.store !== 'none'
      watch.hold(RUNS, count === 1 || isEarly, { call, part })
    }
    if (count === 0 || part.state === 'output-denied') return
    const isShown = sameJson(part.input, INPUTS[call.input])
    watch.hold('I2 what runs is what was decided', isShown, { shown: part.input, call })
  }

  /** Everything is over. */
  ends(isRestarted: boolean): void {
    const { model, watch } = this.#stage
    for (const call of model.calls.values()) {
      const { answer, rule, uid } = call
      if (answer?.outcome !== 'no' && rule !== 'deny') continue
      const invariant = isRestarted
        ? 'I5 a denied call never runs after a restart'
        : 'I5 a denied call never runs'
      watch.hold(invariant, this.#witness.ranTimes(call) === 0, uid)
      if (rule === 'deny' && (answer || model.covers(call).length > 0)) {
        watch.hold(
          'I6 a deny of a rule beats a yes and a policy',
          this.#witness.ranTimes(call) === 0,
          uid,
        )
      }
    }
  }
}

function statusOf(policy: Policy, now: number): string {
  const { isRevoked, isVoid, until, used, uses, suspensions } = policy
  if (isRevoked) return 'revoked'
  if (isVoid) return 'void'
  if (now >= until) return 'expired'
  if (suspensions.size > 0) return 'suspended'
  return used >= uses ? 'used-up' : 'standing'
}
