import type { TextStreamPart, ToolSet } from 'ai'
import type { AnswerEnd } from './chat-options.ts'

/** Reads how an answer ends from its parts. */
export function watchEnd(
  onEnd: (end: AnswerEnd) => void,
): TransformStream<TextStreamPart<ToolSet>, TextStreamPart<ToolSet>> {
  return new TransformStream({
    transform(part, controller) {
      if (part.type === 'finish') {
        const { finishReason, totalUsage: usage } = part
        onEnd({ outcome: 'finished', finishReason, usage })
      } else if (part.type === 'error') {
        onEnd({ outcome: 'failed', finishReason: undefined, usage: undefined })
      }
      controller.enqueue(part)
    },
  })
}
