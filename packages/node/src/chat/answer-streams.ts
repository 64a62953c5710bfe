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
   * Streams an answer. It is made no slower than its readers read, and goes on when they leave. Where the
   * same decisions are being answered already, or were as long as that is kept, that answer is given,
   * from its beginning: it may have been cut off before anybody read it.
   *
   * @param make makes the chunks, and tells of failures by chunks; its signal aborts when the answer
   *   is to stop
   * @throws RequestError 409 while another answer of the conversation is being read
   */
  start(
    { key, requestId, reader, decisions }: AnswerRequest & { readonly decisions?: string },
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

/** What is known of an answer beside its stream. */
interface KnownAnswer {
  /** Names the decisions that it answers. */
  readonly decisions: string | undefined
  /** Whether it came to its end, and without an error. */
  isWhole: boolean
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
  const answers = new WeakMap<KeptStream, KnownAnswer>()
  const isKnown = (stream: KeptStream, decisions: string | undefined) => {
    const answer = answers.get(stream)
    const isSame = decisions !== undefined && answer?.decisions === decisions
    return isSame && !stream.isDropped && (stream.isOpen || answer.isWhole)
  }
  return {
    async start({ key, requestId, reader, decisions }, make) {
      const place = await takePlace(options, { key, requestId }, (stream) =>
        isKnown(stream, decisions),
      )
      if ('known' in place) return respond(place.known, reader)
      const { log } = place
      // Before it is written, so that there is a reader from the first event on.
      const response = respond(log, reader)
      const leave = watchReaders(log, options)
      const answer: KnownAnswer = { decisions, isWhole: false }
      answers.set(log, answer)
      void write(log, make, options.onError).then((isWhole) => {
        answer.isWhole = isWhole
        leave()
      })
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

/** Begins a stream, in the place of one that nobody reads, unless the latest is known to be the same. */
async function takePlace(
  { store, takeOverMs }: AnswerStreamsOptions,
  { key, requestId }: Pick<AnswerRequest, 'key' | 'requestId'>,
  isKnown: (stream: KeptStream) => boolean,
): Promise<{ readonly log: WrittenStream } | { readonly known: KeptStream }> {
  if (key === '') return { log: new StreamLog(8 * 1024 * 1024) }
  const patience = AbortSignal.timeout(takeOverMs)
  for (;;) {
    const former = await store.find(key)
    if (former && isKnown(former)) return { known: former }
    const opened = await store.open(key, requestId)
    if (opened) return { log: opened }
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

/** Writes an answer to its end, and says whether it has one that is no failure. Never rejects. */
async function write(
  stream: WrittenStream,
  make: (signal: AbortSignal) => ReadableStream<UIMessageChunk>,
  onError: (error: unknown) => void,
): Promise<boolean> {
  const { stopped } = stream
  let [isFinished, isFailed] = [false, false]
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
      isFinished ||= value.type === 'finish'
      isFailed ||= value.type === 'error' || value.type === 'abort'
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
  return isFinished && !isFailed && !stopped.aborted
}
