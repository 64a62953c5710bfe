import { isAwaitingApproval, isToolCallPart } from '@assent/engine'
import type { UseMessageReturn } from '@assent/vue'
import type { UIMessage } from 'ai'
import { computed, type ComputedRef } from 'vue'

/** How many calls wait for a person. Only the last message can have such calls. */
export function useWaitingCount<MESSAGE extends UIMessage>(
  chat: UseMessageReturn<MESSAGE>,
): ComputedRef<number> {
  return computed(() => {
    const lastId = chat.messageIds.value.at(-1)
    const parts = lastId === undefined ? [] : (chat.message(lastId).value?.parts ?? [])
    return parts.filter((part) => isToolCallPart(part) && isAwaitingApproval(part)).length
  })
}
