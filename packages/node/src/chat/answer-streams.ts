import type { UIMessageChunk } from 'ai'
import { eventOf, eventStreamResponse, LAST_EVENT } from './event-stream.ts'
import { RequestError } from './request-error.ts'
import { StreamLog } from './stream-log.ts'
import type { KeptStream, StreamStore, WrittenStream } from './stream-store.ts'

/** How answers are streamed. Times are milliseconds. */
export interface AnswerStreamsOptions {
  readonly store: StreamStore
  /** What happens to an answer that nobody reads any more. */
  readonly onDisconnect: 'continue' | 'abort'
  /** How long an answer goes on that nobody reads. */
  readonly unreadMs: number
  /** How long a request waits for the stream before it to end, or to be left by its readers. */
  readonly takeOverMs: number
  readonly keepAliveMs: number
  /** Told what kept an answer from being sent. */
  readonly onError: (error: unknown) => void
}

/** The streams of the answers of one handler. */
export interface AnswerStreams {
  /**
   * Streams an answer. It is made no slower than its readers read, and goes on when they leave.
   *
   * @param make makes the chunks, and tells of failures by chunks; its signal aborts when the answer
   *   is to stop
   * @throws RequestError 409 while another answer of the conversation is being read
   */
  start(
    { key, requestId, reader }: AnswerRequest,
    make: (signal: AbortSignal) => ReadableStream<UIMessageChunk>,
  ): Promise<Response>
  /**
   * The stream of the latest answer, from its beginning; status 204 when there is none. One that has
   * ended is there only for who names its request.
   *
   * @throws RequestError 410
   */
  resume(request: AnswerRequest): Promise<Response>
  /** Stops the answer that is streamed, if there is one and it is the one that is asked for. */
  stop(request: Omit<AnswerRequest, 'reader'>): Promise<Response>
}

/** Whose answer is asked for. */
export interface AnswerRequest {
  /** Names conversation and user; `''` for a stream that cannot be taken up again. */
  readonly key: string
  /** Names the request that is answered; without one, the answer that streams now is meant. */
  readonly requestId: string | undefined
  /** Aborts when the reader goes away. */
  readonly reader: AbortSignal
}

export function createAnswerStreams(options: AnswerStreamsOptions): AnswerStreams {
  const { store, keepAliveMs } = options
  const respond = (stream: KeptStream, reader: AbortSignal) =>
    eventStreamResponse(stream.read(), { keepAliveMs, reader })
  return {
    async start({ key, requestId, reader }, make) {
      const log =
        key === '' ? new StreamLog(8 * 1024 * 1024) : await takePlace(options, key, requestId)
      // Before it is written, so that there is a reader from the first event on.
      const response = respond(log, reader)
      const leave = watchReaders(log, options)
      void write(log, make, options.onError).finally(leave)
      return response
    },
    async resume({ key, requestId, reader }) {
      const stream = await store.find(key)
      // Without its name one that has ended may be that of an earlier request: replayed in the place of
      // the next one, its calls would be run by the page again.
      const isKnown = stream?.isOpen || stream?.isDropped || requestId !== undefined
      if (!stream || !isKnown || !isMeant(stream, requestId)) {
        return new Response(null, { status: 204 })
      }
      if (stream.isDropped) {
        throw new RequestError(
          410,
          'stream-gone',
          'The beginning of this answer is no longer kept. Send the conversation again.',
        )
      }
      return respond(stream, reader)
    },
    async stop({ key, requestId }) {
      const stream = await store.find(key)
      if (stream?.isOpen && isMeant(stream, requestId)) await stream.stop()
      return new Response(null, { status: 204 })
    },
  }
}

/** Whether a stream is the one that is asked for: any, when none is named. */
function isMeant(stream: KeptStream, requestId: string | undefined): boolean {
  // One that was dropped may have lost its name.
  const isNameless = stream.isDropped && stream.requestId === undefined
  return requestId === undefined || isNameless || requestId === stream.requestId
}

/** Begins a stream, in the place of one that nobody reads. */
async function takePlace(
  { store, takeOverMs }: AnswerStreamsOptions,
  key: string,
  requestId: string | undefined,
): Promise<WrittenStream> {
  const patience = AbortSignal.timeout(takeOverMs)
  for (;;) {
    const opened = await store.open(key, requestId)
    if (opened) return opened
    const former = await store.find(key)
    if (!former?.isOpen) continue
    if (patience.aborted) {
      throw new RequestError(
        409,
        'busy',
        'Another page is being answered in this conversation. Stop that answer, or wait for its end.',
      )
    }
    // Whoever read it has gone: a page that was stopped or closed, and is back with something else.
    if (former.readers === 0) await former.stop()
    await changeOf(former, patience)
  }
}

/** Resolves when a stream has ended, or got or lost a reader, or when nobody waits any longer. */
function changeOf(stream: KeptStream, patience: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      unwatch()
      patience.removeEventListener('abort', settle)
      resolve()
    }
    const unwatch = stream.onChange(settle)
    patience.addEventListener('abort', settle)
    if (!stream.isOpen || patience.aborted) settle()
  })
}

/** Stops an answer that nobody reads for too long; returns how to end the watch. */
function watchReaders(
  stream: WrittenStream,
  { onDisconnect, unreadMs }: AnswerStreamsOptions,
): () => void {
  let timer: NodeJS.Timeout | undefined
  const look = () => {
    clearTimeout(timer)
    timer = undefined
    if (!stream.isOpen || stream.readers > 0) return
    if (onDisconnect === 'abort') void stream.stop()
    else timer = setTimeout(() => void stream.stop(), unreadMs)
  }
  const unwatch = stream.onChange(look)
  // The page may have gone while its request was read.
  look()
  return () => {
    clearTimeout(timer)
    unwatch()
  }
}

/** Writes an answer to its end. Never rejects. */
async function write(
  stream: WrittenStream,
  make: (signal: AbortSignal) => ReadableStream<UIMessageChunk>,
  onError: (error: unknown) => void,
): Promise<void> {
  const { stopped } = stream
  const end = () => {
    stream.append(LAST_EVENT)
    stream.end()
  }
  const reader = make(stopped).getReader()
  // At once: the model, or a tool, may take its time to notice.
  const abort = () => {
    stream.append(eventOf({ type: 'abort', reason: 'The answer was stopped.' }))
    end()
    void reader.cancel(stopped.reason).catch(() => undefined)
  }
  stopped.addEventListener('abort', abort)
  if (stopped.aborted) abort()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done || !stream.isOpen) break
      stream.append(eventOf(value))
    }
  } catch (error) {
    // Such as the output of a tool that JSON cannot express.
    onError(error)
    stream.append(eventOf({ type: 'error', errorText: 'A part of the answer cannot be sent.' }))
    void reader.cancel(error).catch(() => undefined)
  } finally {
    stopped.removeEventListener('abort', abort)
    end()
  }
}
