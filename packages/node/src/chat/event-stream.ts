import type { UIMessageChunk } from 'ai'

const encoder = new TextEncoder()

/** The end of a stream, as the AI SDK marks it. */
export const LAST_EVENT: Uint8Array<ArrayBuffer> = encoder.encode('data: [DONE]\n\n')
/** Comments say nothing; they keep what is between the two from taking the connection for dead. */
const OPEN_COMMENT = encoder.encode(': stream-open\n\n')
const ALIVE_COMMENT = encoder.encode(': keep-alive\n\n')

/** A chunk as an event of the stream. */
export function eventOf(chunk: UIMessageChunk): Uint8Array<ArrayBuffer> {
  return encoder.encode(`data: ${JSON.stringify(chunk)}\n\n`)
}

interface StreamOptions {
  readonly keepAliveMs: number
  readonly reader: AbortSignal
  readonly cut: AbortSignal
  /** All of it was read, or nobody reads it any more. */
  readonly onEnd: () => void
}

/**
 * The response that streams events, in the AI SDK's UI message stream protocol.
 *
 * @param options `keepAliveMs`: after how long without an event a comment is sent; `reader` aborts when
 *   nobody is there to read any more, `cut` when the stream is to break off, with its reason
 */
export function eventStreamResponse(
  events: ReadableStream<Uint8Array<ArrayBuffer>>,
  options: StreamOptions,
): Response {
  return new Response(withComments(events, options), {
    headers: {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-vercel-ai-ui-message-stream': 'v1',
      // nginx would hold events back until its buffer is full.
      'x-accel-buffering': 'no',
    },
  })
}

function withComments(
  events: ReadableStream<Uint8Array<ArrayBuffer>>,
  { keepAliveMs, reader, cut, onEnd }: StreamOptions,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const source = events.getReader()
  let timer: NodeJS.Timeout | undefined
  let isGone = false
  const leave = async () => {
    isGone = true
    end()
    await source.cancel().catch(() => undefined)
  }
  const onGone = () => void leave()
  let breakOff = () => {}
  const end = () => {
    clearInterval(timer)
    reader.removeEventListener('abort', onGone)
    cut.removeEventListener('abort', breakOff)
    onEnd()
  }
  return new ReadableStream(
    {
      start(controller) {
        controller.enqueue(OPEN_COMMENT)
        breakOff = () => {
          controller.error(cut.reason)
          onGone()
        }
        cut.addEventListener('abort', breakOff)
        reader.addEventListener('abort', onGone)
        if (reader.aborted) onGone()
      },
      async pull(controller) {
        timer = setInterval(() => {
          if ((controller.desiredSize ?? 0) >= 0) controller.enqueue(ALIVE_COMMENT)
        }, keepAliveMs)
        try {
          const { done, value } = await source.read()
          clearInterval(timer)
          if (!done && !isGone) return controller.enqueue(value)
          end()
          if (!cut.aborted && (!isGone || reader.aborted)) controller.close()
        } catch (error) {
          end()
          throw error
        }
      },
      cancel: leave,
    },
    { highWaterMark: 0 },
  )
}
