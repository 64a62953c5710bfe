import {
  assentMetadata,
  decidableMessageIds,
  type CommandResult,
  type ResumePoliciesResult,
  type ResumeToolCallPayload,
  type ResumeToolCallResult,
  type ResumeToolCallsResult,
  type RevokePolicyResult,
  type ToolCallRef,
} from '@assent/engine'
import {
  explainPolicy,
  type PolicyCandidate,
  type PolicyExplanation,
} from '@assent/engine/policies'
import type { UIMessage } from 'ai'
import {
  computed,
  getCurrentScope,
  hasInjectionContext,
  inject,
  ssrContextKey,
  warn,
  type ComputedRef,
} from 'vue'
import { targetOf } from './call-decisions.ts'
import { findCall } from './call-places.ts'
import { injectMessage } from './message-context.ts'
import { readStandingPolicies, type StandingPolicy } from './standing-policies.ts'
import { useClock } from './use-clock.ts'
import type { UseMessageReturn } from './use-message.ts'
import { isApprovable, readWaitingCalls, type WaitingCallEntry } from './waiting-calls.ts'

/** What a person decides, beside which call. Default outcome: `'yes'`. */
export type ApprovalDecision = Pick<ResumeToolCallPayload, 'outcome' | 'reason' | 'input' | 'scope'>

/** Options of {@link useApprovals}. */
export interface UseApprovalsOptions {
  /** Milliseconds since the epoch; the engine's own clock, if it has one. Default `Date.now`. */
  now?: () => number
}

/** What waits for a person in a conversation, what was allowed for good, and how to decide. */
export interface UseApprovalsReturn<MESSAGE extends UIMessage = UIMessage> {
  /**
   * All calls that wait for a person, in call order. Empty while the model answers: a request that
   * a server streams is listed when its stream has ended, and can be decided from then on.
   */
  readonly waiting: ComputedRef<readonly WaitingCallEntry<MESSAGE>[]>
  /** How many of them there are. */
  readonly count: ComputedRef<number>
  /**
   * Those that `decideAll('yes')` approves: decisions that are missing, but for calls of risk
   * `destroy`, calls whose rules failed, and requests that have expired.
   */
  readonly approvable: ComputedRef<readonly WaitingCallEntry<MESSAGE>[]>
  /** The permissions that stand or are suspended, oldest first. One that expires goes when its time comes. */
  readonly policies: ComputedRef<readonly StandingPolicy[]>
  /**
   * Decides one call. One of {@link UseApprovalsReturn.waiting} is decided as it was shown: when it has
   * changed since, that is refused as `call_changed`.
   */
  decide(
    call: ToolCallRef,
    decision?: ApprovalDecision,
  ): Promise<CommandResult<ResumeToolCallResult>>
  /**
   * Decides what waits now, as one batch: all of it or, when something is refused, nothing. A yes is
   * for {@link UseApprovalsReturn.approvable} only, a no for everything that waits.
   *
   * @param options `reason` reaches the model; `only` leaves out the calls it gives `false` for
   */
  decideAll(
    outcome: 'yes' | 'no',
    options?: { reason?: string; only?: (call: WaitingCallEntry<MESSAGE>) => boolean },
  ): Promise<CommandResult<ResumeToolCallsResult>>
  /** Answers a call in place of its tool. */
  submitOutput(call: ToolCallRef, output: unknown): Promise<CommandResult<ToolCallRef>>
  /** Stops a call that runs here, or is about to. @param reason reaches the model */
  cancel(call: ToolCallRef, reason?: string): Promise<CommandResult<ToolCallRef>>
  /** Takes a standing permission back; what it had approved and has not started waits again. */
  revoke(policyId: string): Promise<CommandResult<RevokePolicyResult>>
  /** Lets permissions go on that `stopAll()` has suspended: all of them, or one. */
  resumePolicies(policyId?: string): Promise<CommandResult<ResumePoliciesResult>>
  /**
   * Which past calls of this conversation a permission would have covered. Reads the whole history
   * each time. Throws `invalid_argument` for a scope that is not valid.
   */
  explain(candidate: PolicyCandidate): PolicyExplanation
}

/**
 * The approvals of a conversation.
 *
 * ```ts
 * const { waiting, count, decide, decideAll, policies, revoke } = useApprovals(chat)
 * const [call] = waiting.value
 * if (call) await decide(call, { outcome: 'yes_always', scope: { covers: 'input', uses: 5 } })
 * ```
 *
 * Call it in `setup`, in a Pinia setup store, or in an `effectScope`. It follows the conversation
 * also when its `id` changes, costs nothing while an answer streams, and ends with its scope. The
 * functions may be taken out of the object and never reject.
 *
 * @param chat default: the one that a component above provided with `provideMessage`
 * @throws EngineError `invalid_argument` when none is given nor provided
 */
export function useApprovals<MESSAGE extends UIMessage = UIMessage>(
  chat: UseMessageReturn<MESSAGE> = injectMessage<MESSAGE>(),
  { now = Date.now }: UseApprovalsOptions = {},
): UseApprovalsReturn<MESSAGE> {
  const clock = useClock(now)

  const waiting = computed<readonly WaitingCallEntry<MESSAGE>[]>((before = []) => {
    const ids = decidableMessageIds({
      requestState: chat.requestState.value,
      processingState: chat.processingState.value,
      turn: chat.turn.value,
      messageIds: chat.messageIds.value,
    })
    const calls = ids.flatMap((messageId) => {
      const message = chat.message(messageId).value
      return message ? readWaitingCalls(message, before) : []
    })
    const isSame = calls.length === before.length && calls.every((call, i) => call === before[i])
    return isSame ? before : calls
  })
  const approvable = computed(() => {
    const time = clock.read()
    return waiting.value.filter((call) => isApprovable(call, time))
  })
  const policies = computed(() =>
    readStandingPolicies({
      confirmations: chat.confirmations.value,
      conversationId: chat.id.value,
      now: clock.read(),
      // Not followed: the sentence is written before the call can be decided, and stays.
      summaryOf(ref) {
        const message = chat.engine.value.getMessage(ref.messageId)
        const part = message && findCall(message, ref)
        return part && assentMetadata(part).summary
      },
    }),
  )

  const onServer = hasInjectionContext() && inject(ssrContextKey, undefined) !== undefined
  if (!onServer) {
    clock.wakeAt(() => {
      const moments = [
        ...policies.value.map(({ until }) => until),
        ...approvable.value.map(({ expiresAt }) => expiresAt),
      ]
      return Math.min(...moments.map((moment = Infinity) => moment))
    })
    if (!getCurrentScope()) {
      warn(
        'useApprovals() was called where no effect scope is active, so it never ends. ' +
          'Call it in setup() before any await, or inside effectScope().run().',
      )
    }
  }

  return {
    waiting,
    count: computed(() => waiting.value.length),
    approvable,
    policies,
    decide: (call, decision) =>
      chat.runPluginCommand('tool', 'resumeToolCall', { ...decision, ...targetOf(call) }),
    decideAll(outcome, { reason, only = () => true } = {}) {
      // A decision of this very moment is not published yet.
      chat.engine.value.flush()
      const all = waiting.value.filter(only)
      // By the time of the click: a timer may be late.
      const calls = outcome === 'yes' ? all.filter((call) => isApprovable(call, now())) : all
      const decisions = calls.map((call) => ({ ...targetOf(call), outcome, reason }))
      // For the tool plugin that would be a mistake.
      if (decisions.length === 0) {
        return Promise.resolve({ success: true, result: { toolCalls: [], settled: [] } })
      }
      return chat.runPluginCommand('tool', 'resumeToolCalls', decisions)
    },
    submitOutput: (call, output) =>
      chat.runPluginCommand('tool', 'submitToolOutput', { ...targetOf(call), output }),
    cancel: (call, reason) =>
      chat.runPluginCommand('tool', 'cancelToolCall', { ...targetOf(call), reason }),
    revoke: (policyId) => chat.runPluginCommand('tool', 'revokePolicy', { policyId }),
    resumePolicies: (policyId) =>
      chat.runPluginCommand('tool', 'resumePolicies', policyId === undefined ? {} : { policyId }),
    explain: (candidate) => explainPolicy(candidate, chat.engine.value.getState().messages),
  }
}
