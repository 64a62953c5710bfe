import { isAwaitingApproval, type ToolCallPart } from '@assent/engine'
import { computed, type ComputedRef } from 'vue'
import { useClock } from '../context/clock.ts'
import { expiryOf } from './call-facts.ts'

/** Whether, by the clock here, the request of a call has expired; becomes so when its time comes. */
export function useExpiry(part: () => ToolCallPart): ComputedRef<boolean> {
  const expiry = computed(() => expiryOf(part()))
  const now = useClock(() => expiry.value !== undefined && isAwaitingApproval(part()))
  return computed(() => {
    return expiry.value !== undefined && now.value !== undefined && now.value >= expiry.value
  })
}
