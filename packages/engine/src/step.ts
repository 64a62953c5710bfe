import type { FinishReason, UIMessage, UIMessageChunk } from 'ai'
import { answerEnd, isNothing, NOT_ENDED } from './answer-end.ts'
import { refuseEarlierCall } from './calls-ran-here.ts'
import { isDevelopment } from './development.ts'
import { EngineError, toEngineError } from './errors.ts'
import { chunkHook, mayRequest } from './hooks.ts'
import { closeOpenText } from './message/close-open-parts.ts'
import { given } from './message/given.ts'
import { isEqualJson } from './message/json-equality.ts'
import { receivedChunk } from './message/received-chunk.ts'
import { createMessageReducer, type MessageReducer } from './message/message-reducer.ts'
import { keyOf, refOf } from './message/tool-calls.ts'
import type { ToolCallRef } from './message/tool-part.ts'
import { extendContext } from './plugin.ts'
import { leftRequests, requestName } from './request-name.ts'
import { watchResponse, type ResponseWatch } from './response-watch.ts'
import type { Run } from './run.ts'
import type { StepMark, TurnState } from './state.ts'
import type { ChunkStream, RequestName } from './transport/transport.ts'
import {
  createContext,
  mergeExtras,
  patchTurn,
  runTurnHooks,
  showProcessing,
  type TurnHost,
} from './turn-host.ts'
import { settleUnreadAnswers } from './unread-answers.ts'

/** Chunks that show nothing: an answer that fails after them leaves no message behind. */
const UNSEEN_CHUNKS: ReadonlySet<string> = new Set<UIMessageChunk['type']>([
  'start',
  'start-step',
  'finish-step',
  'reset-step',
  'message-metadata',
  'finish',
])

/** One request to the model and the stream that answers it. Throws what ends the turn as an error. */
export async function requestStep<MESSAGE extends UIMessage>(
  host: TurnHost<MESSAGE>,
  run: Run,
): Promise<void> {
  const { store, transport, conversationId, delivery } = host
  const step = (store.getState().turn?.step ?? 0) + 1
  store.batch(() => {
    showProcessing(host, 'requesting')
    const supersedes = leftRequests(store.getState().turn) ?? store.getState().turn?.supersedes
    // From here on it is this step that a retry makes again, not the one before.
    patchTurn(host, { lastStep: markOf(step, continuedMessage(host)), supersedes })
  })
  const request = mergeExtras(host.requestOptions(), run.extras)
  const context = extendContext(createContext(host, run), { request })
  await runTurnHooks(host, run, 'onBeforeRequest', context)
  if (!run.isAlive || run.pauseRequested || isTakenBack(host, run, step)) return

  settleUnreadAnswers(host)
  const { turn } = store.getState()
  const target = continuedMessage(host)
  const isFirst = step === 1
  run.isNextRequested = false
  const { unsent = [] } = turn ?? {}
  const before = delivery?.sent(store.getState()).map(refOf) ?? []
  const isAnew = (call: ToolCallRef) => before.every((other) => keyOf(other) !== keyOf(call))
  const underWay = [...before, ...unsent.filter(isAnew)]
  // Unsent until it is sent: what a policy has answered can be taken back while that is stored.
  patchTurn(host, { step, lastStep: markOf(step, target), underWay, ...NOT_ENDED })
  // Before the server has it: results, and that the answers are on their way.
  const saving = host.save()
  if (saving) await saving
  // Who is told of it may have ended the turn.
  if (!run.isAlive) return
  if (!isEqualJson(store.getState().turn?.unsent, unsent)) {
    patchTurn(host, { step: step - 1, underWay: before })
    return
  }
  patchTurn(host, { unsent: [] })
  const watch = watchResponse(host)
  run.controller.signal.addEventListener('abort', watch.end, { once: true })
  const { messages } = store.getState()
  let answer: PromiseLike<ChunkStream> | undefined
  let stream: ChunkStream
  try {
    answer = transport.sendMessages({
      onActivity: watch.onActivity,
      trigger: isFirst ? run.trigger : 'submit-message',
      chatId: conversationId,
      messageId: isFirst ? run.messageId : target?.id,
      messages: delivery?.told(messages) ?? [...messages],
      abortSignal: run.controller.signal,
      ...nameOf(store.getState().turn),
      ...request,
    })
    stream = await watch.answered(answer)
  } catch (error) {
    watch.end()
    // Nobody reads what comes now.
    void answer?.then((late) => late.cancel()).then(undefined, () => undefined)
    const failure = toEngineError(error, 'http_network', 'The request failed', { retryable: true })
    // What the request carried is still to be sent.
    if (run.isAlive && delivery?.wasNotRead(failure)) patchTurn(host, { unsent, underWay: before })
    throw failure
  }
  await consumeStream(host, run, stream, watch)
}

/** What the request of a turn is called, and which others it takes the place of. */
function nameOf(turn: TurnState | undefined): RequestName {
  const requestId = turn && requestName(turn)
  const supersedes = turn?.supersedes?.filter((other) => other !== requestId) ?? []
  return { ...given({ requestId }), ...(supersedes.length > 0 && { supersedes }) }
}

/** Whether a plugin takes back a step that is about to be requested. */
function isTakenBack<MESSAGE extends UIMessage>(
  host: TurnHost<MESSAGE>,
  run: Run,
  step: number,
): boolean {
  const isAllowed = mayRequest(host.plugins, createContext(host, run))
  // Only once: whoever still asks for the step has asked for it as it is now.
  if (isAllowed || step === 1 || run.refusedStep === step) return false
  run.refusedStep = step
  return true
}

/** Marks where a step that goes on with a message, or begins one, will write. */
function markOf(step: number, target: UIMessage | undefined): StepMark {
  return { step, messageId: target?.id, partCount: target?.parts.length ?? 0 }
}

/** Folds a stream into the turn's message, then runs `onAfterRequest`. */
export async function consumeStream<MESSAGE extends UIMessage>(
  host: TurnHost<MESSAGE>,
  run: Run,
  stream: ChunkStream,
  watch: ResponseWatch,
  takenUp?: { readonly isReplay: boolean },
): Promise<void> {
  const reader = readerOf(stream, watch)
  // An abort ends the pending read, whatever the stream's source does.
  const cancel = () => void reader.cancel().catch(() => undefined)
  if (!run.isAlive) {
    watch.end()
    return cancel()
  }
  const { signal } = run.controller
  signal.addEventListener('abort', cancel)
  const sink = createSink(host, run, takenUp?.isReplay ?? false)
  const change = chunkHook(host.plugins, createContext(host, run))
  const known = takenUp && continuedMessage(host)
  watch.streams(cancel)
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (!run.isAlive) return
      if (done) break
      watch.chunk()
      const chunk = receivedChunk(value)
      if (known) refuseEarlierCall(chunk, known)
      sink.write(change ? change(chunk) : chunk)
    }
    const late = watch.error()
    // What has finished is complete, also when its connection stays open.
    if (late && !sink.isFinished()) throw late
    const { usage } = host.store.getState().turn ?? {}
    patchTurn(host, answerEnd(sink.finishReason(), sink.finishMetadata(), usage))
    sink.end()
    const { lastStep } = host.store.getState().turn ?? {}
    const ended = lastStep && { lastStep: sink.ended(lastStep) }
    patchTurn(host, { underWay: [], sending: undefined, supersedes: undefined, ...ended })
  } catch (error) {
    cancel()
    throw toEngineError(error, 'stream_cut', 'The stream failed', { retryable: true })
  } finally {
    signal.removeEventListener('abort', cancel)
    watch.end()
  }
  const context = extendContext(createContext(host, run), {
    finishReason: sink.finishReason(),
    finishMetadata: sink.finishMetadata(),
    messages: host.store.getState().messages,
    requestNext() {
      if (!run.isAlive) return
      run.isNextRequested = true
      // Stored, so that a restart makes the request as well.
      showProcessing(host, 'requesting')
    },
  })
  await runTurnHooks(host, run, 'onAfterRequest', context)
}

/** Throws `http_body` for what a transport of somebody else's answers with instead of a stream. */
function readerOf(
  stream: ChunkStream,
  watch: ResponseWatch,
): ReadableStreamDefaultReader<UIMessageChunk> {
  try {
    return stream.getReader()
  } catch (error) {
    watch.end()
    throw toEngineError(error, 'http_body', 'The transport answered without a readable stream')
  }
}

/** The assistant message that the next step goes on with: the turn's own, if it is the last one. */
function continuedMessage<MESSAGE extends UIMessage>({
  store,
}: TurnHost<MESSAGE>): MESSAGE | undefined {
  const { messages, turn } = store.getState()
  const last = messages.at(-1)
  return last?.role === 'assistant' && last.id === turn?.assistantMessageId ? last : undefined
}

/** Takes the chunks of one stream, in order. */
function createSink<MESSAGE extends UIMessage>(
  host: TurnHost<MESSAGE>,
  run: Run,
  isReplay: boolean,
) {
  const { store, generateId, onData, requireFinish } = host
  const continued = continuedMessage(host)
  let reducer: MessageReducer | undefined
  let isAttached = false
  let isFinished = false
  let finishMetadata: unknown
  let hasStep = false
  let hasData = false

  function begin(chunk: UIMessageChunk): MessageReducer {
    const proposed = chunk.type === 'start' ? chunk.messageId : undefined
    const id = proposed && !isTaken(proposed) ? proposed : generateId()
    // As it is now: hooks may have changed it while the server was asked.
    const initial = (continued && store.getMessage(continued.id)) ?? {
      id,
      role: 'assistant',
      parts: [],
    }
    const onPart: typeof onData = (part) => {
      hasData = true
      onData?.(part)
    }
    return createMessageReducer(initial, { keepId: true, replay: isReplay, onData: onPart })
  }

  function isTaken(id: string): boolean {
    const { queue } = store.getState()
    return store.indexOf(id) !== -1 || queue.some((queued) => queued.id === id)
  }

  function attach(target: MessageReducer): void {
    // A message made of the server's chunks is trusted to be of the user's type.
    const message = target.snapshot() as MESSAGE
    if (!continued) {
      store.append(message)
      const step = store.getState().turn?.step ?? 0
      patchTurn(host, { lastStep: markOf(step, { ...message, parts: [] }) })
    }
    store.attach(message.id, target)
    patchTurn(host, { assistantMessageId: message.id })
    isAttached = true
  }

  return {
    isFinished: () => isFinished,
    finishReason: (): FinishReason | undefined => reducer?.finishReason,
    finishMetadata: () => finishMetadata,
    write(chunk: UIMessageChunk): void {
      // Who is told of the chunk may have ended the turn.
      if (!run.isAlive) return
      if (!reducer) {
        showProcessing(host, 'completing')
        if (!run.isAlive) return
        reducer = begin(chunk)
      }
      if (chunk.type === 'error') {
        // What a person can do about it, where the server knows that.
        const { errorText, details }: typeof chunk & { details?: unknown } = chunk
        throw failed('error', errorText || 'The server failed.', Object(details))
      }
      if (chunk.type === 'abort') {
        throw failed('aborted', `The server aborted: ${chunk.reason ?? 'no reason given'}`)
      }
      if (chunk.type === 'finish') {
        isFinished = true
        finishMetadata = chunk.messageMetadata
      }
      if (chunk.type === 'start-step') hasStep = true
      // What is there already was said, and maybe done, before this response.
      if (chunk.type === 'reset-step' && continued && !hasStep) return
      if (isAttached) return store.apply(chunk)
      reducer.apply(chunk)
      const begun = reducer
      // Who is told of data may have ended the turn.
      if (run.isAlive && (continued || isSeen(chunk))) store.batch(() => attach(begun))
    },
    /** The mark of the step, now that its stream has come to its proper end. */
    ended(mark: StepMark): StepMark {
      const { parts = [] } = store.getMessage(mark.messageId ?? '') ?? {}
      const isEmpty = !hasData && isNothing(parts.slice(mark.partCount))
      return { ...mark, isEnded: true, ...(isEmpty && { isEmpty }) }
    },
    end(): void {
      // An answer that came to its end is one, also when there is nothing to see.
      const begun = reducer
      if (isFinished && begun && !isAttached && !isBroken(begun)) store.batch(() => attach(begun))
      if (isAttached && reducer) {
        store.detach()
        // Closing changes parts within their own types.
        store.replace(reducer.snapshot().id, (message) => closeOpenText(message) as MESSAGE)
      }
      if (!isFinished && requireFinish) {
        throw failed(
          'without_finish',
          isDevelopment
            ? 'The stream ended without a finish chunk: have the route send one, or set requireFinish to false.'
            : 'The stream ended without a finish chunk.',
        )
      }
      if (reducer?.finishReason === 'interrupted') {
        throw failed('interrupted', 'The model’s provider broke off.')
      }
      if (reducer?.finishReason === 'error') {
        throw failed('error', 'The model’s provider ended with an error.')
      }
    },
  }
}

function failed(
  how: 'error' | 'aborted' | 'without_finish' | 'interrupted',
  message: string,
  details: EngineError['details'] = {},
): EngineError {
  return new EngineError(`stream_${how}`, message, { retryable: !details['isFinal'], details })
}

/** Whether an answer ended in a failure. */
function isBroken({ finishReason }: MessageReducer): boolean {
  return finishReason === 'interrupted' || finishReason === 'error'
}

function isSeen(chunk: UIMessageChunk): boolean {
  return !UNSEEN_CHUNKS.has(chunk.type) && !('transient' in chunk && chunk.transient)
}
