import type { CommandResult, ResumeToolCallPayload } from '@assent/engine'
import {
  messageKey,
  useApprovals,
  type UseApprovalsReturn,
  type UseMessageReturn,
  type WaitingCallEntry,
} from '@assent/vue'
import {
  computed,
  effectScope,
  inject,
  onScopeDispose,
  shallowRef,
  watch,
  type ComputedRef,
  type EffectScope,
} from 'vue'
import { callKey } from '../context/call-board.ts'
import { useChat } from '../context/chat-context.ts'
import { callDraftKey, openFormKey } from '../context/use-draft.ts'
import type { Decide } from '../tool-call/use-decision.ts'
import type { AsApprovalTrayProps } from './tray-types.ts'

/** What waits, and what carries decisions about it out. */
export interface Waiting {
  readonly calls: ComputedRef<readonly WaitingCallEntry[]>
  /** Whether its input is being changed, here or in another tab: a yes is for what comes of that. */
  isEdited(call: WaitingCallEntry): boolean
  /** Decides one call. */
  readonly decide: Decide
  /** Decides several as one batch. */
  decideAll(
    calls: readonly WaitingCallEntry[],
    outcome: 'yes' | 'no',
    reason?: string,
  ): Promise<CommandResult>
}

/** The conversation that panels belong to: the one given, else the one above, else none. */
export function useConversation(
  given: () => UseMessageReturn | undefined,
): ComputedRef<UseMessageReturn | undefined> {
  const above = useChat()
  const provided = inject(messageKey, undefined)
  return computed(() => {
    const chat = given() ?? above.value
    return chat && isWhole(chat) ? chat : provided
  })
}

/** The approvals of a conversation that may become another one. Ends with the scope. */
export function useApprovalsOf(
  chat: () => UseMessageReturn | undefined,
): ComputedRef<UseApprovalsReturn | undefined> {
  const approvals = shallowRef<UseApprovalsReturn>()
  let scope: EffectScope | undefined
  watch(
    chat,
    (conversation) => {
      scope?.stop()
      scope = effectScope(true)
      approvals.value = conversation && scope.run(() => useApprovals(conversation))
    },
    { immediate: true },
  )
  onScopeDispose(() => scope?.stop())
  return computed(() => approvals.value)
}

/** What waits in a conversation or in a list that was given. */
export function useWaiting(props: AsApprovalTrayProps): Waiting {
  const chat = useConversation(() => props.chat)
  const approvals = useApprovalsOf(() => (props.calls ? undefined : chat.value))
  const calls = computed(() => props.calls ?? approvals.value?.waiting.value ?? [])

  async function emitted(decisions: readonly ResumeToolCallPayload[]): Promise<CommandResult> {
    return (await props.onDecide?.(decisions)) ?? { success: true, result: undefined }
  }

  return {
    calls,
    isEdited({ messageId, part }) {
      const key = openFormKey(callDraftKey(messageId, part))
      const drafts = chat.value?.drafts.value ?? []
      return drafts.some((draft) => draft.key === key && draft.value === 'editing')
    },
    decide: (decision) =>
      chat.value && !props.calls
        ? chat.value.runPluginCommand('tool', 'resumeToolCall', decision)
        : emitted([decision]),
    decideAll(picked, outcome, reason) {
      const because = reason ? { reason } : {}
      if (approvals.value) {
        const keys = new Set(picked.map((call) => callKey(call.messageId, call.part)))
        const only = (call: WaitingCallEntry): boolean =>
          keys.has(callKey(call.messageId, call.part))
        return approvals.value.decideAll(outcome, { ...because, only })
      }
      return emitted(
        picked.map(({ messageId, step, toolCallId, fingerprint }) => ({
          messageId,
          step,
          toolCallId,
          fingerprint,
          outcome,
          ...because,
        })),
      )
    },
  }
}

/** Whether what is above is a conversation, and not only what decisions need of one. */
function isWhole(chat: object): chat is UseMessageReturn {
  return ['engine', 'message', 'messageIds', 'confirmations'].every((name) => name in chat)
}
