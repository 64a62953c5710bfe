import type { ToolSet, UIMessage } from 'ai'
import type { CallRecord, ConfirmationRecord, PolicyEvent } from '../../confirmation.ts'
import { exactOnlyByOptions, riskByOptions } from '../../approval/call-guards.ts'
import { given } from '../../message/given.ts'
import { keyOf, refOf, type ToolCallEntry } from '../../message/tool-calls.ts'
import {
  answeredCall,
  changeMetadata,
  reopenedCall,
  unstartedCall,
} from '../../message/tool-part-states.ts'
import {
  approvalExpiresAt,
  assentMetadata,
  isElsewhere,
  isExactOnly,
  riskOf,
  toolCallStatus,
  toolNameOf,
  type ToolCallPart,
  type ToolCallRef,
} from '../../message/tool-part.ts'
import type { PluginContext } from '../../plugin.ts'
import { isConfirmedPart } from './decide.ts'
import { fingerprintOf } from './fingerprint.ts'
import {
  deriveApprovalPolicies,
  findPolicy,
  type ToolApprovalPolicy,
  type ToolApprovalPolicyStatus,
} from './policies.ts'
import { isUnstarted, openCallOf, withdrawTask, type SettleScope } from './open-call.ts'
import { optionsOf } from './options.ts'
import { copyOfInput, type CallReading } from './read-call.ts'
import { whyTooOften } from './repeats.ts'
import { knownToolSchemas } from './input-schema.ts'
import { awaitingCalls, callNow, changeCall, openCalls, recordOf } from './turn-calls.ts'

/** What looking at policies needs. */
export interface PolicyScope<TOOLS extends ToolSet, MESSAGE extends UIMessage> extends Pick<
  SettleScope<TOOLS, MESSAGE>,
  'options'
> {
  readonly context: PluginContext<MESSAGE>
}

/** Every policy of this conversation as it stands now, derived from the whole history. */
export function policiesNow<TOOLS extends ToolSet, MESSAGE extends UIMessage>({
  options,
  context,
}: PolicyScope<TOOLS, MESSAGE>): readonly ToolApprovalPolicy[] {
  const { conversationId } = context
  const tools = knownToolSchemas(options)
  return deriveApprovalPolicies(context.getState().confirmations, {
    now: context.now(),
    conversationId,
    ...given({ tools }),
  })
}

/**
 * Approves every call that waits and that a standing policy covers, wherever it is executed, and
 * answers with those calls. A call whose check failed is a person's to decide.
 */
export function applyPolicies<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: SettleScope<TOOLS, MESSAGE>,
): readonly ToolCallRef[] {
  const { context, runtime } = scope
  const settled: ToolCallRef[] = []
  const awaiting = awaitingCalls(context)
  let policies = awaiting.length > 0 ? policiesNow(scope) : []
  if (!policies.some(({ status }) => status === 'standing')) return settled
  for (const entry of awaiting) {
    // What a person has just said about it counts more, once that is looked at.
    if (openCallOf(runtime, entry).deciding) continue
    const covered = coverOf(scope, entry.part, policies)
    if (!covered) continue
    approve(scope, entry, covered.policy, covered.fingerprint)
    settled.push(refOf(entry))
    // It may be used up now.
    policies = policiesNow(scope)
  }
  return settled
}

/** Whether a standing policy covers any call that waits: also one that was given elsewhere. */
export function isAnyCovered<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: PolicyScope<TOOLS, MESSAGE>,
): boolean {
  const policies = policiesNow(scope)
  return awaitingCalls(scope.context).some(({ part }) => coverOf(scope, part, policies))
}

/** The policy that covers a call that waits, and what of the call it is bound to. */
function coverOf<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  { options, context }: PolicyScope<TOOLS, MESSAGE>,
  part: ToolCallPart,
  policies: readonly ToolApprovalPolicy[],
): { policy: ToolApprovalPolicy; fingerprint: string } | undefined {
  const { checkFailed, refused } = assentMetadata(part)
  if (checkFailed || refused || isExpired(part, context.now())) return undefined
  if (whyTooOften(options, part)) return undefined
  const toolName = toolNameOf(part)
  const { input } = part
  const fingerprint = fingerprintOf(toolName, input)
  const own = optionsOf(options, toolName)
  const policy = findPolicy(policies, {
    toolName,
    input,
    fingerprint,
    risk: typeof own.risk === 'function' ? riskByOptions(own, copyOfInput(input)) : riskOf(part),
    exactOnly: isExactOnly(part) || exactOnlyByOptions(own, copyOfInput(input)),
  })
  return policy && { policy, fingerprint }
}

/** Whether a server, by the clock here, does not take a yes to its request any more. */
function isExpired(part: ToolCallPart, now: number): boolean {
  const expiresAt = approvalExpiresAt(part)
  // Also for a clock that says no time.
  return expiresAt !== undefined && !(now < expiresAt)
}

function approve<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  { context, runtime }: SettleScope<TOOLS, MESSAGE>,
  entry: ToolCallEntry,
  { id: policyId }: ToolApprovalPolicy,
  fingerprint: string,
): void {
  const record = recordOf(context, { ...entry, toolName: toolNameOf(entry.part), fingerprint })
  openCallOf(runtime, entry).isDecidedHere = true
  const reason = `Always allowed: confirmation ${policyId}.`
  changeCall(context, entry, (part) =>
    changeMetadata(answeredCall(part, { approved: true, reason, isAutomatic: true }), {
      decidedAt: record.at,
      decidedBy: 'policy',
      confirmationId: policyId,
    }),
  )
  context.appendConfirmations([{ ...record, policyId, event: 'used' }])
  if (isElsewhere(entry.part)) context.markUnsent(refOf(entry))
}

/**
 * Notes which policies have ended: the call that one was given on failed, its tool takes another
 * input now, or its time is over. The history says so from then on, also to who cannot see call or
 * tool, or has another clock.
 */
export function noteEndedPolicies<TOOLS extends ToolSet, MESSAGE extends UIMessage>({
  options,
  context,
}: PolicyScope<TOOLS, MESSAGE>): void {
  const { conversationId } = context
  const now = context.now()
  const tools = knownToolSchemas(options)
  const ended: ConfirmationRecord[] = []
  // At no time: what is expired was noted.
  const noted = { now: -Infinity, conversationId }
  for (const policy of deriveApprovalPolicies(context.getState().confirmations, noted)) {
    const { confirmation, status, id: policyId, scope } = policy
    if (status === 'void' || status === 'revoked') continue
    const { toolName, schema } = confirmation
    let event: PolicyEvent['event'] | undefined
    if (hasFailed(context, confirmation)) event = 'call-failed'
    // A tool that is not here may be elsewhere, as it was.
    else if (tools?.has(toolName) && tools.get(toolName) !== schema) event = 'schema-changed'
    // A clock that says no time has seen nothing.
    else if (now >= (scope.until ?? Infinity) && status !== 'expired') event = 'expired'
    if (event) ended.push({ ...recordOf(context, confirmation), policyId, event })
  }
  context.appendConfirmations(ended)
}

/** Whether the call of a confirmation ran and failed; what a person answered in its place is no failure. */
function hasFailed<MESSAGE extends UIMessage>(
  context: PluginContext<MESSAGE>,
  call: CallRecord,
): boolean {
  if (call.conversationId !== context.conversationId) return false
  const part = callNow(context, call)?.part
  return !!part && toolCallStatus(part) === 'error' && !assentMetadata(part).submitted
}

/** Why a call is asked about again that a policy had approved. */
const NOT_ALLOWED_ANY_MORE = 'The standing permission for this no longer holds.'

/**
 * Why the yes of a person or policy does not let a call run now; nothing when it does, or when there
 * is none. A yes is for one call with one input, read as it was shown, and that of a policy ends with
 * the policy.
 */
export function whyNotStanding<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: PolicyScope<TOOLS, MESSAGE>,
  entry: ToolCallEntry,
  { fingerprint, readAs }: CallReading,
): string | undefined {
  if (!isConfirmedPart(entry.part)) return undefined
  const { decidedBy, confirmationId, readAs: shownAs } = assentMetadata(entry.part)
  const { confirmations } = scope.context.getState()
  const key = keyOf(entry)
  const isByPolicy = decidedBy === 'policy'
  const record = confirmations.findLast(
    (one) =>
      keyOf(one) === key &&
      (isByPolicy
        ? 'event' in one && one.event === 'used' && one.policyId === confirmationId
        : one.id === confirmationId),
  )
  if (record?.fingerprint !== fingerprint) return 'The call changed after it was approved.'
  if (shownAs !== readAs) return 'The tool reads this input differently than when it was approved.'
  if (!isByPolicy) return undefined
  const status = policiesNow(scope).find(({ id }) => id === confirmationId)?.status
  return isHolding(status) ? undefined : NOT_ALLOWED_ANY_MORE
}

/** Makes calls wait again whose policies do not stand any more: expired or void meanwhile. */
export function reopenLapsedCalls<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: SettleScope<TOOLS, MESSAGE>,
): void {
  const { context } = scope
  if (!openCalls(context).some(({ part }) => assentMetadata(part).decidedBy === 'policy')) return
  const holding = policiesNow(scope).filter(({ status }) => isHolding(status))
  const ids = new Set(holding.map(({ id }) => id))
  reopenCalls(scope, (policyId) => !ids.has(policyId), NOT_ALLOWED_ANY_MORE)
}

/** Whether what a policy has approved may start: that it is used up is by these very calls. */
export function isHolding(status: ToolApprovalPolicyStatus | undefined): boolean {
  return status === 'standing' || status === 'used-up'
}

/**
 * Makes every call wait again that one of these policies has approved and that does not run, nor was
 * sent, and answers with those calls. The request of a server stays as it was, without a `why`.
 */
export function reopenCalls<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  { context, runtime }: SettleScope<TOOLS, MESSAGE>,
  isOver: (policyId: string) => boolean,
  why?: string,
): readonly ToolCallRef[] {
  const unsent = new Set(context.turn?.unsent.map(keyOf))
  const reopened = openCalls(context).filter((entry) => {
    const { part } = entry
    const { decidedBy, confirmationId = '' } = assentMetadata(part)
    if (decidedBy !== 'policy' || !isOver(confirmationId)) return false
    if (isElsewhere(part)) return unsent.has(keyOf(entry))
    return isUnstarted(runtime, entry) || toolCallStatus(part) === 'awaiting-output'
  })
  for (const entry of reopened) {
    // Also when another policy approves it at once, its rules are asked anew.
    withdrawTask(runtime, openCallOf(runtime, entry))
    changeCall(context, entry, (part) =>
      isElsewhere(part) ? reopenedCall(part) : reopenedCall(unstartedCall(part), why),
    )
    context.markUnsent(refOf(entry), false)
  }
  return reopened.map(refOf)
}
