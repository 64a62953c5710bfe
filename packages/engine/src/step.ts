import type { FinishReason, UIMessage, UIMessageChunk } from 'ai'
import { EngineError, toEngineError } from './errors.ts'
import { runHooks } from './hooks.ts'
import { closeOpenText } from './message/close-open-parts.ts'
import { createMessageReducer } from './message/message-reducer.ts'
import { extendContext } from './plugin.ts'
import type { Run } from './run.ts'
import type { ChunkStream, RequestExtras } from './transport/transport.ts'
import { createContext, patchTurn, type TurnHost } from './turn-host.ts'

/** Chunks that alone make no message visible: an answer that fails after them leaves none behind. */
const UNSEEN_CHUNKS: ReadonlySet<string> = new Set<UIMessageChunk['type']>([
  'start',
  'start-step',
  'finish-step',
  'reset-step',
  'message-metadata',
  'finish',
  'abort',
  'error',
])

/** One request to the model and the stream that answers it. Throws what ends the turn as an error. */
export async function requestStep<MESSAGE extends UIMessage>(
  host: TurnHost<MESSAGE>,
  run: Run,
): Promise<void> {
  const { store } = host
  store.patch({ requestState: 'processing', processingState: 'requesting' })
  const request = await prepareRequest(host, run)
  if (!run.isAlive || run.pauseRequested) return

  const { messages, turn } = store.getState()
  const target = continuedMessage(host)
  const isFirst = (turn?.step ?? 0) === 0
  run.isNextRequested = false
  patchTurn(host, {
    step: (turn?.step ?? 0) + 1,
    lastStep: { messageId: target?.id, partCount: target?.parts.length ?? 0 },
    unsent: [],
  })
  let stream: ChunkStream
  try {
    stream = await host.transport.sendMessages({
      trigger: isFirst ? run.trigger : 'submit-message',
      chatId: host.conversationId,
      messageId: isFirst ? run.messageId : target?.id,
      messages: [...messages],
      abortSignal: run.controller.signal,
      ...request,
    })
  } catch (error) {
    const failure = toEngineError(error, 'http_network', 'The request failed', { retryable: true })
    // The server refused it unread: what the request carried is still to be sent.
    if (run.isAlive && failure.code === 'http_status')
      patchTurn(host, { unsent: turn?.unsent ?? [] })
    throw failure
  }
  await consumeStream(host, run, stream)
}

/** Folds a stream into the turn's message, then runs `onAfterRequest`. */
export async function consumeStream<MESSAGE extends UIMessage>(
  host: TurnHost<MESSAGE>,
  run: Run,
  stream: ChunkStream,
  options: { isReplay?: boolean } = {},
): Promise<void> {
  if (!run.isAlive) {
    await stream.cancel().catch(() => undefined)
    return
  }
  const reader = stream.getReader()
  // An abort ends the pending read, whatever the stream's source does.
  const cancel = () => void reader.cancel().catch(() => undefined)
  run.controller.signal.addEventListener('abort', cancel, { once: true })
  const sink = createSink(host, options.isReplay ?? false)
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (!run.isAlive) return
      if (done) break
      sink.write(value)
    }
    sink.end()
  } catch (error) {
    if (!run.isAlive) return
    cancel()
    throw toEngineError(error, 'stream_cut', 'The stream failed', { retryable: true })
  } finally {
    run.controller.signal.removeEventListener('abort', cancel)
  }
  await runHooks(
    host.plugins,
    'onAfterRequest',
    (plugin) =>
      plugin.onAfterRequest?.(
        extendContext(createContext(host, run), {
          finishReason: sink.finishReason(),
          requestNext() {
            if (run.isAlive) run.isNextRequested = true
          },
        }),
      ),
    () => run.isAlive,
  )
}

async function prepareRequest<MESSAGE extends UIMessage>(
  host: TurnHost<MESSAGE>,
  run: Run,
): Promise<RequestExtras> {
  const general = host.requestOptions()
  const request: RequestExtras = {
    headers: { ...general.headers, ...run.extras.headers },
    body: { ...general.body, ...run.extras.body },
    metadata: run.extras.metadata ?? general.metadata,
  }
  await runHooks(
    host.plugins,
    'onBeforeRequest',
    (plugin) => plugin.onBeforeRequest?.(extendContext(createContext(host, run), { request })),
    () => run.isAlive,
  )
  return request
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
function createSink<MESSAGE extends UIMessage>(host: TurnHost<MESSAGE>, isReplay: boolean) {
  const { store } = host
  const continued = continuedMessage(host)
  let initial: UIMessage | undefined = continued
  let reducer: ReturnType<typeof createMessageReducer> | undefined
  let isAttached = false
  let isFinished = false
  let isFirst = true

  function makeReducer(chunk: UIMessageChunk): NonNullable<typeof reducer> {
    const proposed = chunk.type === 'start' ? chunk.messageId : undefined
    const isFree = proposed !== undefined && store.indexOf(proposed) === -1
    initial ??= { id: isFree ? proposed : host.generateId(), role: 'assistant', parts: [] }
    return createMessageReducer(initial, { keepId: true, replay: isReplay, onData: host.onData })
  }

  function attach(target: NonNullable<typeof reducer>): void {
    // A message made of the server's chunks is trusted to be of the user's type.
    const message = target.snapshot() as MESSAGE
    if (!continued) store.append(message)
    store.attach(message.id, target)
    patchTurn(host, { assistantMessageId: message.id })
    isAttached = true
  }

  return {
    finishReason: (): FinishReason | undefined => reducer?.finishReason,
    write(chunk: UIMessageChunk): void {
      if (isFirst) store.patch({ requestState: 'processing', processingState: 'completing' })
      isFirst = false
      if (chunk.type === 'error') {
        throw new EngineError('stream_error', chunk.errorText || 'The server reported an error.', {
          retryable: true,
        })
      }
      if (chunk.type === 'abort') {
        throw new EngineError(
          'stream_aborted',
          `The server aborted the answer${chunk.reason ? `: ${chunk.reason}` : ''}.`,
          { retryable: true },
        )
      }
      if (chunk.type === 'finish') isFinished = true
      reducer ??= makeReducer(chunk)
      if (isAttached) store.apply(chunk)
      else {
        reducer.apply(chunk)
        if (continued || isSeen(chunk)) attach(reducer)
      }
    },
    end(): void {
      if (isAttached && reducer) {
        store.detach()
        // Closing changes parts within their own types.
        store.replace(reducer.snapshot().id, (message) => closeOpenText(message) as MESSAGE)
      }
      if (!isFinished && host.requireFinish) {
        throw new EngineError(
          'stream_without_finish',
          'The stream ended without a finish chunk, so the answer may be incomplete. Have the route ' +
            'send one, or set requireFinish to false.',
          { retryable: true },
        )
      }
      if (reducer?.finishReason === 'interrupted') {
        throw new EngineError(
          'stream_interrupted',
          'The model’s provider ended its stream without saying that it was done.',
          { retryable: true },
        )
      }
    },
  }
}

function isSeen(chunk: UIMessageChunk): boolean {
  return !UNSEEN_CHUNKS.has(chunk.type) && !('transient' in chunk && chunk.transient === true)
}
