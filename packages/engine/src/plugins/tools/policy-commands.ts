import type { ToolSet, UIMessage } from 'ai'
import { isDevelopment } from '../../development.ts'
import { EngineError } from '../../errors.ts'
import { waitingReason } from '../../message/tool-calls.ts'
import { isRecord } from '../../message/tool-part.ts'
import {
  isAnyCovered,
  isHolding,
  policiesNow,
  reopenCalls,
  type PolicyScope,
} from './apply-policies.ts'
import type { ResumePoliciesResult, RevokePolicyResult } from './commands.ts'
import type { CommandScope } from './open-call.ts'
import { recordOf, waitingCalls } from './turn-calls.ts'

/**
 * Takes a standing policy back, by one more record. What it has approved and what has not started
 * waits for a decision again. Once more changes nothing.
 */
export function revokePolicy<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  payload: unknown,
  scope: CommandScope<TOOLS, MESSAGE>,
): RevokePolicyResult {
  const { context } = scope
  const policyId = isRecord(payload) ? payload['policyId'] : undefined
  if (typeof policyId !== 'string') {
    throw new EngineError(
      'invalid_argument',
      isDevelopment && 'revokePolicy takes a policyId, a text.',
    )
  }
  const policy = policiesNow(scope).find(({ id }) => id === policyId)
  if (!policy) {
    throw new EngineError('unknown_policy', `No policy has the id ${policyId}.`, {
      details: { policyId },
    })
  }
  if (policy.status === 'revoked') return { policyId, asked: [] }
  const record = recordOf(context, policy.confirmation)
  context.appendConfirmations([{ ...record, outcome: 'no', revokes: policyId }])
  const asked = reopenCalls(scope, (id) => id === policyId)
  if (asked.length === 0) return { policyId, asked }
  context.setPauseReason(waitingReason(waitingCalls(context)))
  // A request that is being made looks for itself whether it may be.
  if (context.getState().requestState === 'processing') context.advance()
  return { policyId, asked }
}

/** Suspends every policy that holds, by one more record each: everything was stopped. */
export function suspendPolicies<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: PolicyScope<TOOLS, MESSAGE>,
): void {
  const { context } = scope
  const holding = policiesNow(scope).filter(({ status }) => isHolding(status))
  context.appendConfirmations(
    holding.map(({ id: policyId, confirmation }) => {
      return { ...recordOf(context, confirmation), policyId, event: 'suspended' }
    }),
  )
}

/**
 * Lets policies go on that were suspended, all or one; what waits and is covered by them is approved.
 * Once more changes nothing.
 */
export function resumePolicies<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  payload: unknown,
  scope: CommandScope<TOOLS, MESSAGE>,
): ResumePoliciesResult {
  const { context } = scope
  const wanted = isRecord(payload) ? payload['policyId'] : undefined
  if (payload !== undefined && (!isRecord(payload) || !isOptionalText(wanted))) {
    throw new EngineError(
      'invalid_argument',
      isDevelopment && 'resumePolicies takes nothing, or a policyId, a text.',
    )
  }
  const resumed = policiesNow(scope).filter(
    ({ id, suspensions }) => suspensions.length > 0 && (wanted ?? id) === id,
  )
  context.appendConfirmations(
    resumed.flatMap(({ id: policyId, confirmation, suspensions }) =>
      suspensions.map((suspension) => {
        return { ...recordOf(context, confirmation), policyId, event: 'resumed', suspension }
      }),
    ),
  )
  // The loop approves what they cover.
  if (isAnyCovered(scope)) context.advance()
  return { policyIds: resumed.map(({ id }) => id) }
}

function isOptionalText(value: unknown): boolean {
  return value === undefined || typeof value === 'string'
}
