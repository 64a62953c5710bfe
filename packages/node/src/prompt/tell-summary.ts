import type { UIMessageChunk } from 'ai'
import { summaryChunk, type Summary } from './summary-part.ts'

/** The chunks of an answer, with a summary that was just written before all that the model says. */
export function tellSummary(
  chunks: ReadableStream<UIMessageChunk>,
  { summary, isNew }: { readonly summary: Summary | undefined; readonly isNew: boolean },
): ReadableStream<UIMessageChunk> {
  if (!summary || !isNew) return chunks
  let isTold = false
  return chunks.pipeThrough(
    new TransformStream<UIMessageChunk, UIMessageChunk>({
      transform(chunk, controller) {
        controller.enqueue(chunk)
        if (isTold || chunk.type !== 'start') return
        isTold = true
        controller.enqueue(summaryChunk(summary))
      },
    }),
  )
}
