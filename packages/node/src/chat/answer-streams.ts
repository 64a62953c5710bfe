import type { UIMessageChunk } from 'ai'
import { eventOf, eventStreamResponse, LAST_EVENT } from './event-stream.ts'
import { asHasRun } from './replayed-events.ts'
import { RequestError } from './request-error.ts'
import { StreamLog } from './stream-log.ts'
import type { RequestName } from './chat-request.ts'
import type { OpenWork } from './open-work.ts'
import type { KeptStream, StopCause, StreamStore, WrittenStream } from './stream-store.ts'

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
  /** Which answers are under way, and when they are cut off. */
  readonly work: OpenWork
  /** Told what kept an answer from being sent. */
  readonly onError: (error: unknown) => void
}

/** The streams of the answers of one handler. */
export interface AnswerStreams {
  /**
   * Streams an answer. It is made no slower than its readers read, and goes on when they leave. Where the
   * same request or the same decisions are being answered already, or were as long as that is kept, that
   * answer is given, from its beginning: it may have been cut off before anybody read it. Another answer
   * makes room if nobody reads it, or if the request supersedes it.
   *
   * @param make makes the chunks, and tells of failures by chunks
   * @throws RequestError 409 while another answer of the conversation is being read
   */
  start(request: NewAnswer, make: (signals: AnswerSignals) => MadeAnswer): Promise<Response>
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

/** A request for an answer that may have to be made. */
export interface NewAnswer extends AnswerRequest, RequestName {
  /** Names the decisions that it brings. */
  readonly decisions?: string
}

/** What ends the making of an answer. */
export interface AnswerSignals {
  /** The answer is to stop, whatever the cause. */
  readonly stopped: AbortSignal
  /** Somebody has asked for that, so that the tools which run are to stop, too. */
  readonly asked: AbortSignal
}

/** An answer that is being made. */
export interface MadeAnswer {
  readonly chunks: ReadableStream<UIMessageChunk>
  /** Whether the ledger could say no more by now: not of a run that nobody knew the end of. */
  readonly isLastWord: () => boolean
}

/** What is known of an answer beside its stream. */
interface KnownAnswer extends Omit<MadeAnswer, 'chunks'> {
  /** Names the decisions that it answers. */
  readonly decisions: string | undefined
  /** Whether it came to its end, and without an error. */
  isWhole: boolean
}

/** Whose answer is asked for. */
export interface AnswerRequest {
  /** Names conversation and user; `''` for a stream that cannot be taken up again. */
  readonly key: string
  /** Names the request that is answered; to resume or stop without one means the answer that streams now. */
  readonly requestId: string | undefined
  /** Aborts when the reader goes away. */
  readonly reader: AbortSignal
}

export function createAnswerStreams(options: AnswerStreamsOptions): AnswerStreams {
  const { store, keepAliveMs, work } = options
  const answers = new WeakMap<KeptStream, KnownAnswer>()
  const respond = (stream: KeptStream, reader: AbortSignal) => {
    const ends = { reader, cut: work.cut, onEnd: work.begin() }
    // Of what has come to its end, a call that ran meanwhile has run.
    const hasEnded = !stream.isOpen && answers.get(stream)?.isWhole === true
    const events = hasEnded ? stream.read().pipeThrough(asHasRun()) : stream.read()
    return eventStreamResponse(events, { keepAliveMs, ...ends })
  }
  const isKnown = (stream: KeptStream, { requestId, isNamed, decisions }: NewAnswer) => {
    if (stream.isDropped) return false
    const answer = answers.get(stream)
    const decides = decisions !== undefined && answer?.decisions === decisions
    // Nothing is known of the answers of other processes but the request.
    const isSame =
      decides ||
      ((answer?.decisions === decisions || !answer) &&
        requestId !== undefined &&
        requestId === stream.requestId)
    const isKept = answer?.isWhole === true && answer.isLastWord()
    // The same words may be said once more; the same name, or a decision, is never meant for another answer.
    return isSame && (stream.isOpen || ((decides || isNamed) && isKept))
  }
  return {
    async start(request, make) {
      const { reader, decisions } = request
      const place = await takePlace(options, request, (stream) => isKnown(stream, request))
      if ('known' in place) return respond(place.known, reader)
      const { log } = place
      const end = work.begin()
      // After its readers are cut off, so that none is told of a stop that nobody asked for.
      const stop = () => void log.stop('asked')
      work.cut.addEventListener('abort', stop)
      // Before it is written, so that there is a reader from the first event on.
      const response = respond(log, reader)
      const leave = watchReaders(log, options)
      const { chunks, ...made } = make(signalsOf(log.stopped))
      const answer: KnownAnswer = { ...made, decisions, isWhole: false }
      answers.set(log, answer)
      void write(log, chunks, options.onError).then((isWhole) => {
        answer.isWhole = isWhole
        leave()
        work.cut.removeEventListener('abort', stop)
        end()
      })
      return response
    },
    async resume({ key, requestId, reader }) {
      const stream = await store.find(key)
      // Without its name one that has ended may be that of an earlier request: replayed in the place of
      // the next one, its calls would be run by the page again.
      const isKnown = stream?.isOpen || stream?.isDropped || requestId !== undefined
      if (!stream || !isKnown || !isMeant(stream, requestId)) {
        // Another server may have it.
        work.assertOpen()
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
      if (stream?.isOpen && isMeant(stream, requestId)) await stream.stop('asked')
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

/**
 * Begins a stream, in the place of one that nobody reads or that is superseded, unless the latest is known
 * to be the same.
 */
async function takePlace(
  { store, takeOverMs }: AnswerStreamsOptions,
  { key, requestId, supersedes }: Pick<NewAnswer, 'key' | 'requestId' | 'supersedes'>,
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
        // So that a page sends again what was decided.
        { 'retry-after': '1' },
      )
    }
    // Whoever read it has gone: a page that was stopped or closed, and is back with something else. Some
    // servers never tell of that, so the page says itself which answers it has left.
    const isSuperseded = former.requestId !== undefined && supersedes.includes(former.requestId)
    if (isSuperseded || former.readers === 0) await former.stop('left')
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
    if (onDisconnect === 'abort') void stream.stop('asked')
    else timer = setTimeout(() => void stream.stop('left'), unreadMs)
  }
  const unwatch = stream.onChange(look)
  // The page may have gone while its request was read.
  look()
  return () => {
    clearTimeout(timer)
    unwatch()
  }
}

/** Whether an answer with this chunk is one that a person asks for again. */
function hasFailed(chunk: UIMessageChunk): boolean {
  if (chunk.type === 'error' || chunk.type === 'abort') return true
  const { finishReason } = chunk.type === 'finish' ? chunk : {}
  return finishReason === 'error' || finishReason === 'interrupted'
}

/** What ends the making of an answer, by the cause that its stream is stopped for. */
function signalsOf(stopped: AbortSignal): AnswerSignals {
  const [all, asked] = [new AbortController(), new AbortController()]
  const abort = () => {
    const reason = new DOMException('The answer was stopped.', 'AbortError')
    const cause: StopCause = stopped.reason
    if (cause !== 'left') asked.abort(reason)
    all.abort(reason)
  }
  stopped.addEventListener('abort', abort)
  if (stopped.aborted) abort()
  return { stopped: all.signal, asked: asked.signal }
}

/** Writes an answer to its end, and says whether it has one that is no failure. Never rejects. */
async function write(
  stream: WrittenStream,
  chunks: ReadableStream<UIMessageChunk>,
  onError: (error: unknown) => void,
): Promise<boolean> {
  const { stopped } = stream
  let [isFinished, isFailed] = [false, false]
  const end = () => {
    stream.append(LAST_EVENT)
    stream.end()
  }
  const reader = chunks.getReader()
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
      isFailed ||= hasFailed(value)
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
