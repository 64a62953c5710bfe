import type { TextStreamPart, ToolSet } from 'ai'
import { denialText } from './denial-text.ts'

type Part = TextStreamPart<ToolSet>

/** Thrown in the place of a run that somebody has denied since this request has brought a yes. */
export class DeniedMeanwhile extends Error {
  override readonly name = 'DeniedMeanwhile'

  constructor() {
    super(denialText(undefined))
  }

  /** What the model is told of it: the same as of every other denial. */
  override toString(): string {
    return this.message
  }
}

/** Tells the page that such a call was denied, as it has not failed. */
export function tellDenials(): TransformStream<Part, Part> {
  return new TransformStream({
    transform(part, controller) {
      const isDenied = part.type === 'tool-error' && part.error instanceof DeniedMeanwhile
      if (!isDenied) return controller.enqueue(part)
      const { toolCallId, toolName } = part
      controller.enqueue({ type: 'tool-output-denied', toolCallId, toolName })
    },
  })
}
