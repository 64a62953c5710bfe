import type { UIMessageChunk } from 'ai'
import { detailsOf } from './model-error.ts'
import { readFailure, type FailureKind } from './model-failure.ts'

type ErrorChunk = Extract<UIMessageChunk, { type: 'error' }>

/** Failures that a person can do something about, by what is sent next. */
const MENDABLE: ReadonlySet<FailureKind> = new Set(['files', 'context'])

/** Words for errors, and what a page can make of them beside these. */
export interface ErrorTeller {
  /** What the page is told of an error. */
  readonly describeError: (error: unknown) => string
  /** The chunk that tells it, with `details` where the person can mend it. */
  readonly detailed: (chunk: ErrorChunk) => UIMessageChunk
}

/** Tells errors in the words of `describeError`. */
export function createErrorTeller(describeError: (error: unknown) => string): ErrorTeller {
  const thrown = new Map<string, unknown>()
  return {
    describeError(error) {
      const text = describeError(error)
      thrown.set(text, error)
      return text
    },
    detailed(chunk) {
      const failure = readFailure(thrown.get(chunk.errorText))
      if (!MENDABLE.has(failure.kind)) return chunk
      const details = { ...detailsOf(failure), isFinal: !failure.isRetryable }
      const detailed = { ...chunk, details }
      return detailed
    },
  }
}
