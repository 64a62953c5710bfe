import type { ToolSet, UIMessage } from 'ai'
import { isDevelopment } from '../../development.ts'
import { EngineError } from '../../errors.ts'
import { waitingReason } from '../../message/tool-calls.ts'
import { isRecord } from '../../message/tool-part.ts'
import { policiesNow, reopenCalls } from './apply-policies.ts'
import type { RevokePolicyResult } from './commands.ts'
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
  context.appendConfirmation({ ...record, outcome: 'no', revokes: policyId })
  const asked = reopenCalls(scope, (id) => id === policyId)
  if (asked.length === 0) return { policyId, asked }
  context.setPauseReason(waitingReason(waitingCalls(context)))
  // A request that is being made looks for itself whether it may be.
  if (context.getState().requestState === 'processing') context.advance()
  return { policyId, asked }
}
