import { newestUserMessage, type Prompt, type PromptMessage } from './prompt.ts'

/**
 * The messages whose calls are under way at the provider: it has not given their results yet, or is told of a
 * decision about them. One that was denied in an earlier turn has no result for good.
 */
export function openMessages(prompt: Prompt): ReadonlySet<PromptMessage> {
  const newest = newestUserMessage(prompt)
  const answered = new Set<string>()
  const open = new Set<PromptMessage>()
  // Ids are used again: a result is that of the last call of its id before it, or in the same message.
  for (const [index, message] of [...prompt.entries()].toReversed()) {
    if (message.role !== 'assistant' && message.role !== 'tool') continue
    for (const part of message.content) {
      if (part.type === 'tool-result') answered.add(part.toolCallId)
    }
    if (index > newest && isDecision(message)) open.add(message)
    for (const part of message.content) {
      if (part.type !== 'tool-call' || answered.delete(part.toolCallId)) continue
      const isPast = index < newest && isDecision(prompt[index + 1])
      if (part.providerExecuted && !isPast) open.add(message)
    }
  }
  return open
}

/**
 * Where a turn that the provider has paused begins to be its own: what comes from there on was said since, and goes
 * back as it came. What comes before is what it was asked with, so that is the same again.
 */
export function pausedFrom(prompt: Prompt, open: ReadonlySet<PromptMessage>): number {
  const newest = newestUserMessage(prompt)
  const firstOpen = prompt.findIndex((message, index) => index > newest && open.has(message))
  const trailing = prompt.findLastIndex(({ role }) => role !== 'assistant') + 1
  return firstOpen === -1 ? trailing : Math.min(firstOpen, trailing)
}

function isDecision(message: PromptMessage | undefined): boolean {
  if (message?.role !== 'tool') return false
  return message.content.some(({ type }) => type === 'tool-approval-response')
}
