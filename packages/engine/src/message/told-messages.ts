import type { UIMessage } from 'ai'
import {
  assentMetadata,
  isElsewhere,
  isRecord,
  isSettled,
  isToolCallPart,
  type LateOutcome,
  type MessagePart,
  type ToolCallPart,
} from './tool-part.ts'

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
  if (!isToolCallPart(part) || !isSettled(part) || isElsewhere(part)) return part
  const { late, repeats } = assentMetadata(part)
  const notes = [
    ...(late && part.state === 'output-error' ? [lateNote(late)] : []),
    ...(repeats === undefined ? [] : [repeatNote(repeats)]),
  ]
  return notes.length === 0 ? part : withNotes(part, notes.join('\n'))
}

function withNotes(part: ToolCallPart, note: string): ToolCallPart {
  switch (part.state) {
    case 'output-error':
      return { ...part, errorText: `${part.errorText}\n${note}` }
    case 'output-available':
      return { ...part, output: outputWith(part.output, note) }
    case 'output-denied':
      return {
        ...part,
        approval: { ...part.approval, reason: [part.approval.reason, note].join('\n').trim() },
      }
    default:
      return part
  }
}

/** An output of the same kind, as far as there is a place in it for a note. */
function outputWith(output: unknown, note: string): unknown {
  if (typeof output === 'string') return `${output}\n${note}`
  return isRecord(output) && !('note' in output) ? { ...output, note } : { output, note }
}

function lateNote({ output }: LateOutcome): string {
  const text = typeof output === 'string' ? output : JSON.stringify(output)
  return `It finished later, so it did take effect. Its output: ${text}`
}

function repeatNote(repeats: number): string {
  return `You have made this exact call ${repeats} times in this turn. Try something else, or answer.`
}
