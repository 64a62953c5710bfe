import type { UIMessage } from 'ai'
import { assentMetadata, isToolCallPart, type MessagePart } from './tool-part.ts'

/**
 * Messages as the model is told them: with what became of calls after they had got their results.
 * What is shown and stored stays as it was. The same messages where there is nothing to add.
 */
export function toldMessages<MESSAGE extends UIMessage>(messages: readonly MESSAGE[]): MESSAGE[] {
  return messages.map((message) => {
    const parts = message.parts.map(toldPart)
    return parts.every((part, index) => part === message.parts[index])
      ? message
      : { ...message, parts }
  })
}

function toldPart(part: MessagePart): MessagePart {
  if (!isToolCallPart(part) || part.state !== 'output-error') return part
  const { late } = assentMetadata(part)
  if (!late) return part
  const output = typeof late.output === 'string' ? late.output : JSON.stringify(late.output)
  const told = `It finished later, so it did take effect. Its output: ${output}`
  return { ...part, errorText: `${part.errorText}\n${told}` }
}
