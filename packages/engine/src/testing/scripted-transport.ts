import type { UIMessage, UIMessageChunk } from 'ai'
import { abortError, untilAborted } from '../transport/abort.ts'
import type { ChunkStream, MessageTransport } from '../transport/transport.ts'
import { createHeldStream } from './held-stream.ts'
import type { HeldStream } from './held-stream.ts'

type SendOptions<MESSAGE extends UIMessage> = Parameters<
  MessageTransport<MESSAGE>['sendMessages']
>[0]
type ReconnectOptions<MESSAGE extends UIMessage> = Parameters<
  MessageTransport<MESSAGE>['reconnectToStream']
>[0]

/** What every request carries. Header names are in lower case. */
interface RecordedExtras {
  readonly chatId: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>>
  readonly metadata: unknown
  /** The signal itself, no copy. */
  readonly abortSignal: AbortSignal | undefined
}

/** A request as it was when it was made: frozen copies, whatever is changed later. */
export interface RecordedRequest<MESSAGE extends UIMessage = UIMessage> extends RecordedExtras {
  readonly trigger: SendOptions<MESSAGE>['trigger']
  readonly messageId: string | undefined
  readonly messages: readonly MESSAGE[]
}

/** A call of `reconnectToStream`. */
export type RecordedReconnect = RecordedExtras

/**
 * What answers one request: its chunks, in any iterable form; an error, which rejects the request;
 * or a function that makes one of these from the request.
 */
export type ScriptedAnswer<REQUEST = RecordedRequest> =
  | Iterable<UIMessageChunk>
  | AsyncIterable<UIMessageChunk>
  | Error
  | ((request: REQUEST) => ScriptedAnswer<REQUEST> | Promise<ScriptedAnswer<REQUEST>>)

export interface ScriptedTransportOptions {
  /** Answers of `reconnectToStream`, in order; `null` (also when there are none left): no stream. */
  reconnects?: readonly (ScriptedAnswer<RecordedReconnect> | null)[]
  /** Neither a request nor its stream notices an abort, as with a provider that ignores it. */
  ignoreAbort?: boolean
  /** Default `true`. */
  resumeStreamIsReplay?: boolean
}

/** A transport whose answers a test writes down beforehand, or streams by hand. */
export interface ScriptedTransport<
  MESSAGE extends UIMessage = UIMessage,
> extends MessageTransport<MESSAGE> {
  /** All requests so far, in order. */
  readonly requests: readonly RecordedRequest<MESSAGE>[]
  /** All calls of `reconnectToStream` so far, in order. */
  readonly reconnects: readonly RecordedReconnect[]
  /** Resolves with request number `count` (from 1) as soon as it was made. */
  requested(count: number): Promise<RecordedRequest<MESSAGE>>
  /** Adds answers at the end of the script. */
  add(...answers: ScriptedAnswer<RecordedRequest<MESSAGE>>[]): void
  /**
   * Adds an answer that the test streams by hand, at the end of the script.
   *
   * With `unanswered`, the request gets no response before something is pushed.
   */
  hold(options?: { unanswered?: boolean }): HeldStream
}

/**
 * A transport without a network: the n-th request is answered by the n-th element of `script`.
 *
 * A request that no answer is left for is rejected, with an error that says so. An abort rejects the
 * request and fails its stream with an `AbortError`, as `fetch` does.
 */
export function scriptedTransport<MESSAGE extends UIMessage = UIMessage>(
  script: readonly ScriptedAnswer<RecordedRequest<MESSAGE>>[] = [],
  options: ScriptedTransportOptions = {},
): ScriptedTransport<MESSAGE> {
  const { ignoreAbort = false, resumeStreamIsReplay = true } = options
  const answers = [...script]
  const reconnectAnswers = [...(options.reconnects ?? [])]
  const requests: RecordedRequest<MESSAGE>[] = []
  const reconnects: RecordedReconnect[] = []
  const waiting: { count: number; resolve: (request: RecordedRequest<MESSAGE>) => void }[] = []

  const respond = <REQUEST extends RecordedExtras>(
    answer: ScriptedAnswer<REQUEST>,
    request: REQUEST,
  ): Promise<ChunkStream> => {
    const signal = ignoreAbort ? undefined : request.abortSignal
    return untilAborted(signal, async () =>
      toChunkStream(await resolveAnswer(answer, request), signal),
    )
  }

  return {
    resumeStreamIsReplay,
    requests,
    reconnects,
    sendMessages: async (sent) => {
      const request: RecordedRequest<MESSAGE> = Object.freeze({
        ...recordExtras(sent),
        trigger: sent.trigger,
        messageId: sent.messageId,
        messages: frozenCopy(sent.messages),
      })
      requests.push(request)
      for (const { count, resolve } of waiting) if (count === requests.length) resolve(request)
      const answer = answers[requests.length - 1]
      if (answer === undefined) {
        throw new Error(
          `No answer is scripted for request ${requests.length}; the script has ${answers.length}.`,
        )
      }
      return respond(answer, request)
    },
    reconnectToStream: async (sent) => {
      const request = Object.freeze(recordExtras(sent))
      reconnects.push(request)
      const answer = reconnectAnswers[reconnects.length - 1] ?? null
      return answer === null ? null : respond(answer, request)
    },
    requested: (count) =>
      new Promise((resolve) => {
        const request = requests[count - 1]
        if (request === undefined) waiting.push({ count, resolve })
        else resolve(request)
      }),
    add: (...more) => {
      answers.push(...more)
    },
    hold: ({ unanswered = false } = {}) => {
      const { held, responded, chunks, cancel } = createHeldStream(unanswered)
      answers.push(async ({ abortSignal }) => {
        if (!ignoreAbort) abortSignal?.addEventListener('abort', cancel, { once: true })
        try {
          await responded
        } finally {
          abortSignal?.removeEventListener('abort', cancel)
        }
        return chunks
      })
      return held
    },
  }
}

async function resolveAnswer<REQUEST>(
  answer: ScriptedAnswer<REQUEST>,
  request: REQUEST,
): Promise<Iterable<UIMessageChunk> | AsyncIterable<UIMessageChunk>> {
  if (typeof answer === 'function') return resolveAnswer(await answer(request), request)
  if (answer instanceof Error) throw answer
  return answer
}

/** One chunk per read, so that an error is never ahead of the chunks before it. */
function toChunkStream(
  chunks: Iterable<UIMessageChunk> | AsyncIterable<UIMessageChunk>,
  signal: AbortSignal | undefined,
): ChunkStream {
  const iterator =
    Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]()
  let stopListening = (): void => {}
  return new ReadableStream<UIMessageChunk>(
    {
      start: (controller) => {
        if (signal === undefined) return
        const abort = (): void => {
          controller.error(abortError(signal))
          void iterator.return?.()
        }
        if (signal.aborted) return abort()
        signal.addEventListener('abort', abort, { once: true })
        stopListening = () => signal.removeEventListener('abort', abort)
      },
      pull: async (controller) => {
        try {
          const result = await iterator.next()
          if (signal?.aborted) return
          if (!result.done) {
            controller.enqueue(result.value)
            return
          }
          stopListening()
          controller.close()
        } catch (error) {
          stopListening()
          throw error
        }
      },
      cancel: () => {
        stopListening()
        void iterator.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}

function recordExtras<MESSAGE extends UIMessage>(
  sent: SendOptions<MESSAGE> | ReconnectOptions<MESSAGE>,
): RecordedExtras {
  return {
    chatId: sent.chatId,
    headers: Object.freeze(Object.fromEntries(new Headers(sent.headers))),
    body: frozenCopy<Record<string, unknown>>({ ...sent.body }),
    metadata: frozenCopy(sent.metadata),
    abortSignal: sent.abortSignal,
  }
}

/** Copies by hand: `structuredClone` refuses the proxies that a reactive framework hands over. */
function frozenCopy<T>(value: T): T
function frozenCopy(value: unknown): unknown {
  if (Array.isArray(value))
    return Object.freeze(value.map((element) => frozenCopy<unknown>(element)))
  if (!isPlainObject(value)) return value
  return Object.freeze(
    Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, frozenCopy(entry)])),
  )
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
