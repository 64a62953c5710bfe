import { assentMetadata, isElsewhere, type ToolCallPart } from '@assent/engine'
import { computed, type ComputedRef } from 'vue'
import { useChat } from '../context/chat-context.ts'

/**
 * Where a yes is that a server has to carry out: `sending`, as it is sent again until the server's ledger
 * answers, or waits for a connection; or `unanswered`: nobody knows whether the server has read it.
 */
export type Delivery = 'sending' | 'unanswered'

/** The way of one decision to its server. */
export interface DecisionDelivery {
  readonly status: ComputedRef<Delivery | undefined>
  /** Sends a decision again that nobody has answered. */
  sendAgain(): void
}

export function useDelivery(
  part: () => ToolCallPart,
  messageId: () => string | undefined,
): DecisionDelivery {
  const chat = useChat()
  const status = computed((): Delivery | undefined => {
    const { turn, error, requestState } = chat.value ?? {}
    const call = part()
    const isApproved =
      call.state === 'approval-responded' && call.approval.approved && isElsewhere(call)
    const { underWay = [], unsent = [], sending } = turn?.value ?? {}
    const id = messageId()
    const isMeant = [...underWay, ...unsent].some(
      (ref) => ref.toolCallId === call.toolCallId && (id === undefined || ref.messageId === id),
    )
    if (!isApproved || !isMeant) return undefined
    if (error?.value?.code === 'decision_unanswered') return 'unanswered'
    // What is on its way without a connection runs nowhere yet.
    const isOnItsWay = sending !== undefined || globalThis.navigator?.onLine === false
    const isSent = requestState?.value === 'processing' && isOnItsWay
    return isSent && assentMetadata(call).ledger === undefined ? 'sending' : undefined
  })
  return { status, sendAgain: () => void chat.value?.retry?.() }
}
