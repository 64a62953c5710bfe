import type { ModelMessage, ToolModelMessage } from 'ai'

type ToolPart = ToolModelMessage['content'][number]

/**
 * The same messages with the results of each step in the order of its calls, in one message. Calls
 * that were approved end in any order, and their results come in a message of their own.
 */
export function inCallOrder(messages: readonly ModelMessage[]): ModelMessage[] {
  const ordered: ModelMessage[] = []
  let calls: string[] = []
  for (const message of messages) {
    const last = ordered.at(-1)
    if (message.role !== 'tool') {
      ordered.push(message)
      calls = callIds(message)
    } else if (last?.role === 'tool') {
      const content = byCallOrder([...last.content, ...message.content], calls)
      ordered.splice(-1, 1, { ...last, content })
    } else ordered.push({ ...message, content: byCallOrder(message.content, calls) })
  }
  return ordered
}

function callIds({ role, content }: ModelMessage): string[] {
  if (role !== 'assistant' || typeof content === 'string') return []
  return content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []))
}

/** What is no result keeps its place before them. */
function byCallOrder(parts: readonly ToolPart[], calls: readonly string[]): ToolPart[] {
  const place = (part: ToolPart) =>
    part.type === 'tool-result' ? calls.indexOf(part.toolCallId) + 1 : -1
  return parts.toSorted((a, b) => place(a) - place(b))
}
