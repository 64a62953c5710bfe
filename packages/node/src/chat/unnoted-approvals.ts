import type { TextStreamPart, ToolSet } from 'ai'
import type { UnnotedCallError } from '../audit/unnoted-call.ts'

type Part = TextStreamPart<ToolSet>

/** The approved calls of an answer that have not begun, as that could not be noted: their approvals still hold. */
export interface UnnotedApprovals {
  note(error: UnnotedCallError): void
  /** Throws when there is one: its page sends the approval again, and the model is not asked before that. */
  assertNone(): void
  /** Leaves their failures out: the page takes a call that has failed for done. */
  readonly stream: TransformStream<Part, Part>
}

export function createUnnotedApprovals(): UnnotedApprovals {
  const errors = new Set<unknown>()
  return {
    note: (error) => void errors.add(error),
    assertNone() {
      const [first] = errors
      if (first !== undefined) throw first
    },
    stream: new TransformStream({
      transform(part, controller) {
        const isUnnoted = part.type === 'tool-error' && errors.has(part.error)
        if (!isUnnoted) controller.enqueue(part)
      },
    }),
  }
}
