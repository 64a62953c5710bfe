import type { UIMessageChunk } from 'ai'
import type { ErrorTeller } from './tell-errors.ts'

/** What is told of a stream on its way. */
export interface StreamObserver {
  readonly errors: ErrorTeller
  readonly onError: (error: unknown) => void
  /** The stream is over, however it ended. */
  readonly onEnd: () => void
}

/**
 * A stream that never fails: what fails, already while it is made or later, as on a cut connection
 * to the model, becomes an `error` chunk at its end.
 */
export function endInErrorChunk(
  make: () => Promise<ReadableStream<UIMessageChunk>>,
  { errors, onError, onEnd }: StreamObserver,
): ReadableStream<UIMessageChunk> {
  const made = make().then((stream) => stream.getReader())
  // It is read below; until then nobody else is there to handle it.
  made.catch(() => undefined)
  let isCancelled = false
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await (await made).read()
          if (isCancelled) return
          if (!done) {
            const isError = value.type === 'error'
            return controller.enqueue(isError ? errors.detailed(value) : value)
          }
        } catch (error) {
          // Nobody reads on; how the stream ends then is no failure.
          if (isCancelled) return
          onError(error)
          const errorText = errors.describeError(error)
          controller.enqueue(errors.detailed({ type: 'error', errorText }))
        }
        onEnd()
        controller.close()
      },
      async cancel(reason) {
        isCancelled = true
        onEnd()
        await (await made).cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}
