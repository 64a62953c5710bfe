import type { ModelMessage, ToolResultPart } from 'ai'
import { denialText } from './denial-text.ts'

/**
 * Tells the model of denied calls that a person denied them. As the AI SDK converts them, their
 * results are the bare reason, which a model takes for the output of the tool.
 */
export function explainDenials(messages: readonly ModelMessage[]): ModelMessage[] {
  const callOfApproval = new Map<string, string>()
  return messages.map((message) => {
    if (message.role === 'assistant' && typeof message.content !== 'string') {
      for (const part of message.content) {
        if (part.type === 'tool-approval-request') {
          callOfApproval.set(part.approvalId, part.toolCallId)
        }
      }
    }
    if (message.role !== 'tool') return message
    const denied = new Map<string, string | undefined>()
    for (const part of message.content) {
      if (part.type !== 'tool-approval-response' || part.approved) continue
      const call = callOfApproval.get(part.approvalId)
      if (call !== undefined) denied.set(call, part.reason)
    }
    if (denied.size === 0) return message
    return {
      ...message,
      content: message.content.map((part) =>
        part.type === 'tool-result' && denied.has(part.toolCallId)
          ? { ...part, output: explained(part.output, denied.get(part.toolCallId)) }
          : part,
      ),
    }
  })
}

function explained(
  output: ToolResultPart['output'],
  reason: string | undefined,
): ToolResultPart['output'] {
  if (output.type === 'execution-denied') return { ...output, reason: denialText(reason) }
  if (output.type === 'error-text') return { ...output, value: denialText(reason) }
  return output
}
