import { assentMetadata, type ToolCallPart } from '@assent/engine'
import { computed, type ComputedRef } from 'vue'
import { useLocale } from '../config/config.ts'
import { useChat } from '../context/chat-context.ts'
import { formatMoment } from '../locale/format.ts'

/**
 * Where the decision on a call comes from, when it was not made here: the server had another one
 * already, or it rests on an always, which was given then, where the conversation still has that.
 */
export function useProvenance(part: () => ToolCallPart): ComputedRef<string | undefined> {
  const locale = useLocale()
  const chat = useChat()
  return computed(() => {
    const { decidedBy, confirmationId, overruled } = assentMetadata(part())
    if (overruled) return locale.value.overruled[overruled === 'no' ? 'approved' : 'denied']
    if (decidedBy !== 'policy') return undefined
    const given = chat.value?.confirmations?.value.find(({ id }) => id === confirmationId)
    return locale.value.allowedByAlways(given && formatMoment(locale.value, given.at))
  })
}
