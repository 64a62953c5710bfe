import type { ModelMessage, ToolModelMessage } from 'ai'

type ToolPart = ToolModelMessage['content'][number]

/**
 * The same messages with the results of each step in the order of its calls, in one message. Calls
 * that were approved end in any order, and their results come in a message of their own.
 */
export function inCallOrder(messages: readonly ModelMessage[]): ModelMessage[] {
  const ordered: ModelMessage[] = []
  let calls = new Map<string, number>()
  for (const message of messages) {
    const last = ordered.at(-1)
    if (message.role !== 'tool') {
      ordered.push(message)
      calls = placesOfCalls(message)
    } else if (last?.role === 'tool') {
      const content = byCallOrder([...last.content, ...message.content], calls)
      ordered.splice(-1, 1, { ...last, content })
    } else ordered.push({ ...message, content: byCallOrder(message.content, calls) })
  }
  return ordered
}

/** The place of each call of a step, from 1. */
function placesOfCalls({ role, content }: ModelMessage): Map<string, number> {
  const places = new Map<string, number>()
  if (role !== 'assistant' || typeof content === 'string') return places
  for (const part of content) {
    const isNew = part.type === 'tool-call' && !places.has(part.toolCallId)
    if (isNew) places.set(part.toolCallId, places.size + 1)
  }
  return places
}

/** What is no result keeps its place before them. */
function byCallOrder(parts: readonly ToolPart[], calls: ReadonlyMap<string, number>): ToolPart[] {
  const place = (part: ToolPart) =>
    part.type === 'tool-result' ? (calls.get(part.toolCallId) ?? 0) : -1
  return parts.toSorted((a, b) => place(a) - place(b))
}
