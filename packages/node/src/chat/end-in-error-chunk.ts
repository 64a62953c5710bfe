import type { UIMessageChunk } from 'ai'

/** What is told of a stream on its way. */
export interface StreamObserver {
  /** What the page is told of an error. */
  readonly describeError: (error: unknown) => string
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
  { describeError, onError, onEnd }: StreamObserver,
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
          if (!done) return controller.enqueue(value)
        } catch (error) {
          // Nobody reads on; how the stream ends then is no failure.
          if (isCancelled) return
          onError(error)
          controller.enqueue({ type: 'error', errorText: describeError(error) })
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
