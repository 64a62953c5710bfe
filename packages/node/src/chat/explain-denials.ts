import type { ModelMessage, ToolResultPart } from 'ai'
import { denialText } from './denial-text.ts'

/**
 * Tells the model of denied calls that a person, or a rule, denied them. As the AI SDK converts them, their
 * results are the bare reason, which a model takes for the output of the tool.
 */
export function explainDenials(messages: readonly ModelMessage[]): ModelMessage[] {
  const callOfApproval = new Map<string, string>()
  const byRule = new Set<string>()
  return messages.map((message) => {
    if (message.role === 'assistant' && typeof message.content !== 'string') {
      for (const part of message.content) {
        if (part.type === 'tool-approval-request') {
          callOfApproval.set(part.approvalId, part.toolCallId)
          if (part.isAutomatic) byRule.add(part.approvalId)
        }
      }
    }
    if (message.role !== 'tool') return message
    const denied = new Map<string, string>()
    for (const part of message.content) {
      if (part.type !== 'tool-approval-response' || part.approved) continue
      const call = callOfApproval.get(part.approvalId)
      if (call !== undefined) denied.set(call, denialText(part.reason, byRule.has(part.approvalId)))
    }
    if (denied.size === 0) return message
    return {
      ...message,
      content: message.content.map((part) => {
        const text = part.type === 'tool-result' && denied.get(part.toolCallId)
        return part.type === 'tool-result' && text
          ? { ...part, output: explained(part.output, text) }
          : part
      }),
    }
  })
}

function explained(output: ToolResultPart['output'], text: string): ToolResultPart['output'] {
  if (output.type === 'execution-denied') return { ...output, reason: text }
  if (output.type === 'error-text') return { ...output, value: text }
  return output
}
