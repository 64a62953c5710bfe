import {
  assentMetadata,
  toolCallStatus,
  type ToolCallPart,
  type ToolCallStatus,
} from '@assent/engine'
import { onMounted, watch, type ComputedRef } from 'vue'
import { useConfig } from '../config/config.ts'
import { useAnnounce } from '../context/announcer.ts'
import { askedRisk, describeCall } from './describe-call.ts'
import type { Delivery } from './use-delivery.ts'

/** What is said of a call that is over. */
const ENDS: Partial<Record<ToolCallStatus, 'denied' | 'succeeded' | 'failed' | 'cancelled'>> = {
  denied: 'denied',
  success: 'succeeded',
  error: 'failed',
  interrupted: 'failed',
  cancelled: 'cancelled',
}

/**
 * Tells screen readers when a call asks, is decided and is over, and when its decision does not arrive;
 * history says nothing.
 */
export function useCallAnnouncements(
  part: () => ToolCallPart,
  delivery: ComputedRef<Delivery | undefined>,
): void {
  const config = useConfig()
  const announce = useAnnounce()
  const status = (): ToolCallStatus => toolCallStatus(part())

  function say(now: ToolCallStatus, before: ToolCallStatus | undefined): void {
    const { locale } = config.value
    const { full } = describeCall(part(), config.value)
    if (now === 'awaiting-approval') {
      announce(locale.announce.asks(full, locale.risk[askedRisk(part())]))
    } else if (now === 'awaiting-output') {
      announce(locale.announce.asksAnswer(full))
    } else if (before === 'awaiting-approval' && (now === 'scheduled' || now === 'executing')) {
      announce(locale.announce.approved(full))
    } else {
      const end = assentMetadata(part()).failure ? 'failed' : ENDS[now]
      if (end) announce(locale.announce[end](full))
    }
  }

  onMounted(() => {
    const now = status()
    if (now === 'awaiting-approval' || now === 'awaiting-output') say(now, undefined)
  })
  watch(status, say)
  watch(delivery, (now) => {
    const { locale } = config.value
    if (now) announce(locale.announce[now](describeCall(part(), config.value).full))
  })
}
