import type { UIMessage } from 'ai'
import { callsRanHere } from './calls-ran-here.ts'
import { isDevelopment } from './development.ts'
import { EngineError, toEngineError, type EngineErrorCode } from './errors.ts'
import { given } from './message/given.ts'
import { isEqualJson } from './message/json-equality.ts'
import { textOf, toMessage, type MessageInput } from './message/message-input.ts'
import type { MessageEngine, WhenBusy } from './message-engine.ts'
import { findQueued, moveTo, nextSendable } from './queue.ts'
import type { Readiness } from './readiness.ts'
import { requestName } from './request-name.ts'
import { watchResponse } from './response-watch.ts'
import type { Run } from './run.ts'
import type { Runner } from './runner.ts'
import type { TurnOutcome } from './state.ts'
import type { TurnRequestOptions } from './transport/transport.ts'
import { keptRequest, mergeExtras, type TurnHost } from './turn-host.ts'

/** What sending needs of its engine. */
export interface OutboxOptions<MESSAGE extends UIMessage> {
  readonly host: TurnHost<MESSAGE>
  readonly runner: Runner<MESSAGE>
  readonly whenBusy: WhenBusy
  readonly readiness: Pick<Readiness, 'wait' | 'assertNotDisposed'>
  /** Reads the messages that are missing. Rejects when nothing may begin without them. */
  readWhole(): Promise<void>
  /** Offers a message typed while calls may wait to the plugins; whether one took it. */
  offerWhileWaiting(text: string): boolean
}

/** Everything that opens turns, and the messages that wait for theirs. */
export interface Outbox<MESSAGE extends UIMessage> extends Pick<
  MessageEngine<MESSAGE>,
  | 'sendMessage'
  | 'regenerate'
  | 'editMessage'
  | 'retry'
  | 'reconnect'
  | 'editQueued'
  | 'removeQueued'
  | 'sendQueued'
  | 'moveQueued'
  | 'holdQueued'
> {
  /** Throws `busy` while a turn is open. */
  assertFree(): void
  /** Sends the next message that waits, if the engine is free. */
  drain(): void
  /** Ends what `reconnect` still asks the server, whether the transport heeds that or not. */
  stopReconnecting(error: EngineError): void
  dispose(): void
}

interface Waiting {
  extras: TurnRequestOptions
  outcome: PromiseWithResolvers<TurnOutcome>
}

export function createOutbox<MESSAGE extends UIMessage>({
  host,
  runner,
  whenBusy,
  readiness,
  readWhole,
  offerWhileWaiting,
}: OutboxOptions<MESSAGE>): Outbox<MESSAGE> {
  const { store, generateId, transport, conversationId } = host
  const waiting = new Map<string, Waiting>()
  let asking: AbortController | undefined
  let isDisposed = false

  /** Opens a turn and answers with its outcome; what is thrown becomes the outcome's error. */
  async function attempt(
    open: () => Run | Promise<TurnOutcome>,
    code: EngineErrorCode = 'invalid_argument',
  ): Promise<TurnOutcome> {
    try {
      const ready = readiness.wait()
      if (ready) await ready
      readiness.assertNotDisposed()
      if (store.getState().earlier) await readWhole()
      const opened = open()
      return await ('outcome' in opened ? opened.outcome.promise : opened)
    } catch (error) {
      return noTurn(toEngineError(error, code))
    }
  }

  function noTurn(error?: EngineError): TurnOutcome {
    const { requestState } = store.getState()
    return { turnId: undefined, requestState, ...given({ error }) }
  }

  function assertFree(): void {
    if (!runner.isBusy()) return
    const message = 'A turn is open: wait for its end, or abort it first.'
    throw new EngineError('busy', message, { retryable: true })
  }

  function newMessage(input: MessageInput<MESSAGE>): MESSAGE {
    const message = toMessage(input, generateId)
    const { id } = message
    if (store.indexOf(id) !== -1 || store.getState().queue.some((queued) => queued.id === id)) {
      throw new EngineError(
        'invalid_argument',
        isDevelopment && `A message of id ${id} exists already.`,
      )
    }
    return message
  }

  function sendWhileBusy(message: MESSAGE, extras: TurnRequestOptions): Promise<TurnOutcome> {
    if (whenBusy === 'reject') assertFree()
    const { queue } = store.getState()
    // A file cannot be part of a reason, and must not be lost.
    const isReason = message.parts.every(({ type }) => type === 'text')
    if (whenBusy === 'deny' && runner.isBusy() && isReason) {
      const denied = runner.current()?.outcome.promise
      if (denied && offerWhileWaiting(textOf(message))) return denied
    }
    const outcome = Promise.withResolvers<TurnOutcome>()
    const { id } = message
    waiting.set(id, { extras, outcome })
    store.patch({ queue: [...queue, { id, message, ...keptRequest(extras), held: false }] })
    return outcome.promise
  }

  function messageOf(messageId: string, role?: UIMessage['role']): MESSAGE {
    const message = store.getMessage(messageId)
    if (message && (!role || message.role === role)) return message
    const text = `There is no ${role ?? ''} message of id ${messageId}.`
    throw new EngineError('unknown_message', text, { details: { messageId } })
  }

  function drain(): void {
    const { queue } = store.getState()
    const next = nextSendable(queue)
    if (!next || runner.isBusy() || isDisposed) return
    if (store.getState().earlier) return void readWhole().then(drain, () => undefined)
    const { message, request = {} } = next
    const { extras = request, outcome } = waiting.get(next.id) ?? {}
    const prepare = () => takeOut(next.id)
    try {
      const run = runner.open({ trigger: 'submit-message', extras, message, prepare })
      waiting.delete(next.id)
      void run.outcome.promise.then((result) => outcome?.resolve(result))
    } catch (error) {
      takeOut(next.id)
      giveUp(next.id, toEngineError(error, 'invalid_argument'))
      drain()
    }
  }

  function takeOut(queuedId: string): void {
    store.patch({ queue: store.getState().queue.filter(({ id }) => id !== queuedId) })
  }

  function giveUp(queuedId: string, error: EngineError): void {
    waiting.get(queuedId)?.outcome.resolve(noTurn(error))
    waiting.delete(queuedId)
  }

  function stopReconnecting(error: EngineError): void {
    asking?.abort(error)
    asking = undefined
  }

  return {
    assertFree,
    drain,
    stopReconnecting,
    sendMessage: (input, extras = {}) =>
      attempt(() => {
        const message = newMessage(input)
        return runner.isBusy() || nextSendable(store.getState().queue)
          ? sendWhileBusy(message, extras)
          : runner.open({ trigger: 'submit-message', extras, message })
      }),
    regenerate: ({ messageId, ...extras } = {}) =>
      attempt(() => {
        assertFree()
        const { messages } = store.getState()
        const isUnanswered = messages.at(-1)?.role === 'user'
        const last = isUnanswered
          ? messages.at(-1)
          : messages.findLast(({ role }) => role === 'assistant')
        const { id, role } = messageOf(messageId ?? last?.id ?? '')
        const prepare = () => store.truncate(store.indexOf(id) + (role === 'user' ? 1 : 0))
        return runner.open({ trigger: 'regenerate-message', extras, messageId: id, prepare })
      }),
    editMessage: (messageId, input, extras = {}) =>
      attempt(() => {
        assertFree()
        const { id } = messageOf(messageId, 'user')
        const message = { ...toMessage(input, generateId), id }
        const prepare = () => store.truncate(store.indexOf(id))
        return runner.open({ trigger: 'submit-message', extras, messageId, message, prepare })
      }),
    retry: (extras = {}) =>
      attempt(() => {
        assertFree()
        return runner.retry(extras)
      }),
    reconnect: (extras = {}) =>
      attempt(async () => {
        stopReconnecting(new EngineError('busy', 'The server was asked once more.'))
        assertFree()
        const { turn } = store.getState()
        const { lastStep } = turn ?? {}
        // Taken up once more, its calls would run once more.
        if (callsRanHere(lastStep, store.getMessage(lastStep?.messageId ?? ''))) return noTurn()
        const controller = new AbortController()
        const { signal } = controller
        const former = runner.current()
        asking = controller
        const watch = watchResponse(host)
        signal.addEventListener('abort', watch.end, { once: true })
        let answered: ReturnType<typeof transport.reconnectToStream> | undefined
        const stopped = new Promise<never>((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason))
        })
        try {
          answered = transport.reconnectToStream({
            onActivity: watch.onActivity,
            chatId: conversationId,
            abortSignal: signal,
            // One that came to its end is not asked for: its calls would begin anew.
            ...given({ requestId: turn && !lastStep?.isEnded ? requestName(turn) : undefined }),
            ...mergeExtras(host.requestOptions(), extras),
          })
          const stream = await Promise.race([watch.answered(answered), stopped])
          if (!stream) {
            watch.end()
            return noTurn()
          }
          if (runner.current() !== former) {
            throw new EngineError('busy', 'Another turn was opened meanwhile.')
          }
          return runner.takeUp({ stream, watch }, extras).outcome.promise
        } catch (error) {
          watch.end()
          // Nobody reads what comes now.
          void answered?.then((late) => late?.cancel()).catch(() => undefined)
          throw error
        } finally {
          if (asking === controller) asking = undefined
        }
      }, 'http_network'),
    editQueued(queuedId, input) {
      const { queue } = store.getState()
      const queued = findQueued(queue, queuedId)
      const message = { ...toMessage(input, generateId), id: queuedId }
      if (isEqualJson(message, queued.message)) return
      store.patch({
        queue: queue.map((other) => (other === queued ? { ...queued, message } : other)),
      })
    },
    removeQueued(queuedId) {
      findQueued(store.getState().queue, queuedId)
      takeOut(queuedId)
      giveUp(queuedId, new EngineError('removed', 'The message was removed before it was sent.'))
    },
    sendQueued(queuedId) {
      const { queue } = store.getState()
      const queued = findQueued(queue, queuedId)
      const others = queue.filter((other) => other !== queued)
      const isNext = queue[0] === queued && !queued.held
      if (!isNext) store.patch({ queue: [{ ...queued, held: false }, ...others] })
      drain()
    },
    moveQueued(queuedId, toIndex) {
      const { queue } = store.getState()
      const moved = moveTo(queue, findQueued(queue, queuedId), toIndex)
      if (moved !== queue) store.patch({ queue: moved })
    },
    holdQueued(queuedId, held) {
      const { queue } = store.getState()
      const queued = findQueued(queue, queuedId)
      if (queued.held === held) return
      store.patch({ queue: queue.map((other) => (other === queued ? { ...queued, held } : other)) })
      drain()
    },
    dispose() {
      isDisposed = true
      const error = new EngineError('disposed', 'The engine was disposed before this was sent.')
      stopReconnecting(error)
      for (const queuedId of waiting.keys()) giveUp(queuedId, error)
    },
  }
}
