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

/**
 * The response that streams events, in the AI SDK's UI message stream protocol.
 *
 * @param options `keepAliveMs`: after how long without an event a comment is sent; `reader` aborts when
 *   nobody is there to read any more
 */
export function eventStreamResponse(
  events: ReadableStream<Uint8Array<ArrayBuffer>>,
  options: { readonly keepAliveMs: number; readonly reader: AbortSignal },
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
  { keepAliveMs, reader }: { readonly keepAliveMs: number; readonly reader: AbortSignal },
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
  const end = () => {
    clearInterval(timer)
    reader.removeEventListener('abort', onGone)
  }
  return new ReadableStream(
    {
      start(controller) {
        controller.enqueue(OPEN_COMMENT)
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
          if (!isGone || reader.aborted) controller.close()
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
