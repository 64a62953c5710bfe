import type { UIMessage } from 'ai'
import { cutText } from './cut-text.ts'

/** The part of an answer that holds a summary of the messages before it. */
const TYPE = 'data-assent-summary'

/** A summary of the first messages of a conversation. */
export interface Summary {
  readonly text: string
  /** How many messages it stands for. */
  readonly messages: number
  /** The id of the last of them. */
  readonly until: string
}

/** A conversation as the model is told it: a summary of its beginning, where there is one, and the messages since. */
export interface SummedConversation<MESSAGE extends UIMessage> {
  readonly summary: Summary | undefined
  readonly messages: MESSAGE[]
}

/** The chunk that puts a summary into an answer. */
export function summaryChunk(data: Summary) {
  return { type: TYPE, data } as const
}

/**
 * The newest summary of a conversation, and the messages that it does not stand for. One that stands for other messages
 * than are there now says nothing, as something of it was taken out.
 *
 * @param maxBytes of a summary: pages send what they like
 */
export function readSummary<MESSAGE extends UIMessage>(
  messages: readonly MESSAGE[],
  maxBytes: number,
): SummedConversation<MESSAGE> {
  const plain = withoutSummaries(messages)
  for (const [at, { role, parts }] of [...messages.entries()].toReversed()) {
    if (role !== 'assistant') continue
    for (const part of parts) {
      const summary = part.type === TYPE && 'data' in part ? summaryOf(part.data) : undefined
      if (!summary || summary.messages > at) continue
      if (messages[summary.messages - 1]?.id !== summary.until) continue
      return {
        summary: { ...summary, text: cutText(summary.text, maxBytes) },
        messages: plain.slice(summary.messages),
      }
    }
  }
  return { summary: undefined, messages: plain }
}

/** The messages without their summaries: an answer of nothing else would be an empty one to the model. */
export function withoutSummaries<MESSAGE extends UIMessage>(
  messages: readonly MESSAGE[],
): MESSAGE[] {
  return messages.map((message) => {
    const parts = message.parts.filter(({ type }) => type !== TYPE)
    return parts.length === message.parts.length ? message : { ...message, parts }
  })
}

function summaryOf(data: unknown): Summary | undefined {
  if (typeof data !== 'object' || data === null) return undefined
  if (!('text' in data && 'messages' in data && 'until' in data)) return undefined
  const { text, messages, until } = data
  return typeof text === 'string' &&
    text !== '' &&
    typeof until === 'string' &&
    typeof messages === 'number' &&
    messages > 0
    ? { text, messages, until }
    : undefined
}
