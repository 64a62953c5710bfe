import type { ToolSet, UIMessage } from 'ai'
import { keyOf, type ToolCallEntry } from '../../message/tool-calls.ts'
import { assentMetadata } from '../../message/tool-part.ts'
import { isHolding, NOT_ALLOWED_ANY_MORE, policiesNow } from './apply-policies.ts'
import type { SettleScope } from './tool-runtime.ts'

/**
 * Why the yes of a person or policy does not let a call run now; nothing when it does. A yes is for
 * one call with one input, and that of a policy ends with the policy.
 */
export function whyNotStanding<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: Pick<SettleScope<TOOLS, MESSAGE>, 'options' | 'context'>,
  entry: ToolCallEntry,
  fingerprint: string,
): string | undefined {
  const { decidedBy, confirmationId } = assentMetadata(entry.part)
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
  if (!isByPolicy) return undefined
  const status = policiesNow(scope).find(({ id }) => id === confirmationId)?.status
  return isHolding(status) ? undefined : NOT_ALLOWED_ANY_MORE
}
