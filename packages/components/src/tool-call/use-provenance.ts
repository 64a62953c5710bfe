import { assentMetadata, type ToolCallPart } from '@assent/engine'
import { computed, type ComputedRef } from 'vue'
import { useLocale } from '../config/config.ts'
import { useChat } from '../context/chat-context.ts'
import { formatMoment } from '../locale/format.ts'

/**
 * Where the permission of a call comes from, when it was given before the call: the always that it
 * rests on and, where the conversation still has that, when it was given.
 */
export function useProvenance(part: () => ToolCallPart): ComputedRef<string | undefined> {
  const locale = useLocale()
  const chat = useChat()
  return computed(() => {
    const { decidedBy, confirmationId } = assentMetadata(part())
    if (decidedBy !== 'policy') return undefined
    const given = chat.value?.confirmations?.value.find(({ id }) => id === confirmationId)
    return locale.value.allowedByAlways(given && formatMoment(locale.value, given.at))
  })
}
