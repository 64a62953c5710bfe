import {
  isAwaitingApproval,
  isToolCallPart,
  type EngineState,
  type ToolCallPart,
} from '@assent/engine'
import type { UseMessageReturn } from '@assent/vue'
import type { UIMessage } from 'ai'
import { createChatDouble, type CallPayload } from '../../packages/components/test/chat-double.ts'
import {
  decided,
  denied,
  executing,
  succeeded,
  withMetadata,
} from '../../packages/components/test/fixtures.ts'

/** A snapshot whose buttons work: approved calls run for a moment, denied ones are settled. */
export function createGalleryChat(
  scene: Partial<EngineState> & { messages: readonly UIMessage[]; schema?: unknown },
): UseMessageReturn {
  const { schema, ...state } = scene
  const double = createChatDouble(state)
  if (schema !== undefined) double.answerSchema({ success: true, result: { schema } })

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

  async function carryOut(payload: CallPayload, command: string): Promise<void> {
    const { messageId = '', toolCallId, outcome, reason, input, output } = payload
    await new Promise((resolve) => setTimeout(resolve, 300))
    if (command === 'cancelToolCall') {
      change(messageId, toolCallId, (part) => cancelled(part))
    } else if (command === 'submitToolOutput') {
      change(messageId, toolCallId, (part) =>
        withMetadata(succeeded(part, output), { submitted: true, decidedBy: 'person' }),
      )
    } else if (outcome === 'no') {
      change(messageId, toolCallId, (part) =>
        part.state === 'approval-requested' ? denied(part, reason) : cancelled(part),
      )
    } else {
      change(messageId, toolCallId, (part) => {
        const started = executing(decided(part, true), Date.now())
        if (input === undefined) return started
        const edited = { ...started, input } as ToolCallPart
        return withMetadata(edited, { originalInput: part.input as never })
      })
      setTimeout(() => {
        change(messageId, toolCallId, (part) => succeeded(part, { ok: true }))
      }, 900)
    }
  }

  double.onCommand(async (payload, command) => {
    const decisions: CallPayload[] = Array.isArray(payload) ? payload : [payload]
    await Promise.all(decisions.map((decision) => carryOut(decision, command)))
    if (!waits()) double.set({ requestState: 'completed' })
    return { success: true, result: undefined }
  })
  return double.chat
}

function cancelled(part: ToolCallPart): ToolCallPart {
  const ended = { ...part, state: 'output-error', errorText: 'Cancelled by you.' } as ToolCallPart
  return withMetadata(ended, { ended: 'cancelled' })
}
