import type { UIMessage } from 'ai'

/** The source of a message's texts, as it is copied and edited: Markdown where the assistant wrote it. */
export function messageText({ parts }: UIMessage): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n')
}
