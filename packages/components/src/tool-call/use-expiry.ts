import { isAwaitingApproval, type ToolCallPart } from '@assent/engine'
import { computed, type ComputedRef } from 'vue'
import { useClock } from '../context/clock.ts'
import { expiryOf } from './call-facts.ts'
import type { ToolDecision } from './use-decision.ts'

/** Whether the request of a call is too old to be approved; becomes so when its time comes. */
export function useExpiry(
  part: () => ToolCallPart,
  decision: () => ToolDecision,
): ComputedRef<boolean> {
  const expiry = computed(() => expiryOf(part()))
  const now = useClock(() => expiry.value !== undefined && isAwaitingApproval(part()))
  return computed(() => {
    if (decision().error.value?.code === 'approval_expired') return true
    return expiry.value !== undefined && now.value !== undefined && now.value >= expiry.value
  })
}
