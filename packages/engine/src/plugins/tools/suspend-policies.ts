import type { ToolSet, UIMessage } from 'ai'
import { isDevelopment } from '../../development.ts'
import { EngineError } from '../../errors.ts'
import { isRecord } from '../../message/tool-part.ts'
import { isAnyCovered, isHolding, policiesNow, type PolicyScope } from './apply-policies.ts'
import type { ResumePoliciesResult } from './commands.ts'
import type { CommandScope } from './open-call.ts'
import { recordOf } from './turn-calls.ts'

/** Suspends every policy that holds, by one more record each: everything was stopped. */
export function suspendPolicies<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: PolicyScope<TOOLS, MESSAGE>,
): void {
  const { context } = scope
  for (const { id: policyId, status, confirmation } of policiesNow(scope)) {
    if (!isHolding(status)) continue
    const record = recordOf(context, confirmation)
    context.appendConfirmation({ ...record, policyId, event: 'suspended' })
  }
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
  for (const { id: policyId, confirmation, suspensions } of resumed) {
    for (const suspension of suspensions) {
      const record = recordOf(context, confirmation)
      context.appendConfirmation({ ...record, policyId, event: 'resumed', suspension })
    }
  }
  // The loop approves what they cover.
  if (isAnyCovered(scope)) context.advance()
  return { policyIds: resumed.map(({ id }) => id) }
}

function isOptionalText(value: unknown): boolean {
  return value === undefined || typeof value === 'string'
}
