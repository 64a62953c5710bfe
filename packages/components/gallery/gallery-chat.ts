import {
  isAwaitingApproval,
  isToolCallPart,
  type EngineState,
  type ToolCallPart,
} from '@assent/engine'
import type { UseMessageReturn } from '@assent/vue'
import type { UIMessage } from 'ai'
import { createChatDouble } from '../test/chat-double.ts'
import { decided, denied, executing, succeeded } from '../test/fixtures.ts'

/** A snapshot whose buttons work: approved calls run for a moment, denied ones are settled. */
export function createGalleryChat(
  scene: Partial<EngineState> & { messages: readonly UIMessage[] },
): UseMessageReturn {
  const double = createChatDouble(scene)

  function waits(): boolean {
    return double.chat.messages.value.some((message) =>
      message.parts.some((part) => isToolCallPart(part) && isAwaitingApproval(part)),
    )
  }

  function change(messageId: string, id: string, make: (part: ToolCallPart) => ToolCallPart): void {
    double.change(messageId, (message) => ({
      ...message,
      parts: message.parts.map((part) =>
        isToolCallPart(part) && part.toolCallId === id ? make(part) : part,
      ),
    }))
  }

  double.onCommand(async ({ messageId = '', toolCallId, outcome, reason }) => {
    await new Promise((resolve) => setTimeout(resolve, 300))
    if (outcome === 'no') {
      change(messageId, toolCallId, (part) => denied(part, reason))
    } else {
      change(messageId, toolCallId, (part) => executing(decided(part, true)))
      setTimeout(() => {
        change(messageId, toolCallId, (part) => succeeded(part, { ok: true }))
      }, 900)
    }
    if (!waits()) double.set({ requestState: 'completed' })
    return { success: true, result: undefined }
  })
  return double.chat
}
