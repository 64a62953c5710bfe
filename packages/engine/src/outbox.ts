import type { UIMessage } from 'ai'
import { EngineError, toEngineError } from './errors.ts'
import { textOf, toMessage, type MessageInput } from './message/message-input.ts'
import type { MessageEngine, WhenBusy } from './message-engine.ts'
import { findQueued, hasSendable, release, takeSendable } from './queue.ts'
import type { Run } from './run.ts'
import type { Runner } from './runner.ts'
import type { TurnOutcome } from './state.ts'
import type { Store } from './store.ts'
import type { TurnRequestOptions } from './transport/transport.ts'

/** What sending needs of its engine. */
export interface OutboxHost<MESSAGE extends UIMessage> {
  readonly store: Store<MESSAGE>
  readonly runner: Runner<MESSAGE>
  readonly whenBusy: WhenBusy
  generateId(): string
  /** `undefined` once the engine is ready. Throws `disposed`. */
  waitUntilReady(): Promise<void> | undefined
  /** Offers a message typed during a pause to the plugins; whether one took it. */
  offerWhilePaused(text: string): boolean
}

/** Everything that opens turns, and the messages that wait for theirs. */
export interface Outbox<MESSAGE extends UIMessage> extends Pick<
  MessageEngine<MESSAGE>,
  | 'sendMessage'
  | 'regenerate'
  | 'editMessage'
  | 'retry'
  | 'editQueued'
  | 'removeQueued'
  | 'sendQueued'
> {
  /** Sends the next message that waits, if the engine is free. */
  drain(): void
  dispose(): void
}

interface Waiting {
  extras: TurnRequestOptions
  outcome: PromiseWithResolvers<TurnOutcome>
}

export function createOutbox<MESSAGE extends UIMessage>(
  host: OutboxHost<MESSAGE>,
): Outbox<MESSAGE> {
  const { store, runner, generateId } = host
  const waiting = new Map<string, Waiting>()

  /** Opens a turn and answers with its outcome; what is thrown becomes the outcome's error. */
  async function attempt(open: () => Run | Promise<TurnOutcome>): Promise<TurnOutcome> {
    try {
      const ready = host.waitUntilReady()
      if (ready) await ready
      const opened = open()
      return await ('outcome' in opened ? opened.outcome.promise : opened)
    } catch (error) {
      const { requestState } = store.getState()
      return {
        turnId: undefined,
        requestState,
        error: toEngineError(error, 'invalid_argument'),
      }
    }
  }

  function assertFree(): void {
    if (!runner.isBusy()) return
    throw new EngineError('busy', 'A turn is open; wait for its end, or abort it first.', {
      retryable: true,
    })
  }

  function newMessage(input: MessageInput<MESSAGE>): MESSAGE {
    const message = toMessage(input, generateId)
    const { queue } = store.getState()
    if (store.indexOf(message.id) !== -1 || queue.some(({ id }) => id === message.id)) {
      throw new EngineError('invalid_argument', `A message of id ${message.id} exists already.`)
    }
    return message
  }

  function sendWhileBusy(message: MESSAGE, extras: TurnRequestOptions): Promise<TurnOutcome> {
    if (host.whenBusy === 'reject') assertFree()
    const { requestState } = store.getState()
    if (host.whenBusy === 'deny' && requestState === 'paused') {
      const outcome = runner.current()?.outcome.promise
      if (outcome && host.offerWhilePaused(textOf(message))) return outcome
    }
    const outcome = Promise.withResolvers<TurnOutcome>()
    waiting.set(message.id, { extras, outcome })
    store.patch({ queue: [...store.getState().queue, { id: message.id, message, held: false }] })
    return outcome.promise
  }

  function indexOfMessage(messageId: string, role: UIMessage['role'] | 'any'): number {
    const index = store.indexOf(messageId)
    const message = store.getMessage(messageId)
    if (!message || (role !== 'any' && message.role !== role)) {
      throw new EngineError(
        'unknown_message',
        `There is no ${role === 'any' ? '' : `${role} `}message of id ${messageId}.`,
        { details: { messageId } },
      )
    }
    return index
  }

  function drain(): void {
    if (runner.isBusy()) return
    const { next, rest } = takeSendable(store.getState().queue)
    if (!next) return
    store.patch({ queue: rest })
    const { extras = {}, outcome } = waiting.get(next.id) ?? {}
    waiting.delete(next.id)
    const run = runner.open({ trigger: 'submit-message', extras, message: next.message })
    void run.outcome.promise.then((result) => outcome?.resolve(result))
  }

  return {
    drain,
    sendMessage: (input, extras = {}) =>
      attempt(() => {
        const message = newMessage(input)
        if (runner.isBusy() || hasSendable(store.getState().queue)) {
          return sendWhileBusy(message, extras)
        }
        return runner.open({ trigger: 'submit-message', extras, message })
      }),
    regenerate: ({ messageId, ...extras } = {}) =>
      attempt(() => {
        assertFree()
        const last = store.getState().messages.findLast(({ role }) => role === 'assistant')
        const target = messageId ?? last?.id
        if (target === undefined) {
          throw new EngineError('unknown_message', 'There is no answer to regenerate yet.')
        }
        const index = indexOfMessage(target, 'any')
        store.truncate(store.getMessage(target)?.role === 'user' ? index + 1 : index)
        return runner.open({ trigger: 'regenerate-message', extras, messageId: target })
      }),
    editMessage: (messageId, input, extras = {}) =>
      attempt(() => {
        assertFree()
        const index = indexOfMessage(messageId, 'user')
        const message = { ...toMessage(input, generateId), id: messageId }
        store.truncate(index)
        return runner.open({ trigger: 'submit-message', extras, messageId, message })
      }),
    retry: (extras = {}) =>
      attempt(() => {
        assertFree()
        return runner.retry(extras)
      }),
    editQueued(queuedId, input) {
      const { queue } = store.getState()
      const queued = findQueued(queue, queuedId)
      const message = { ...toMessage(input, generateId), id: queuedId }
      store.patch({
        queue: queue.map((other) => (other === queued ? { ...queued, message } : other)),
      })
    },
    removeQueued(queuedId) {
      const { queue, requestState } = store.getState()
      const queued = findQueued(queue, queuedId)
      store.patch({ queue: queue.filter((other) => other !== queued) })
      waiting.get(queuedId)?.outcome.resolve({
        turnId: undefined,
        requestState,
        error: new EngineError('removed', 'The message was removed before it was sent.'),
      })
      waiting.delete(queuedId)
    },
    sendQueued(queuedId) {
      store.patch({ queue: release(store.getState().queue, queuedId) })
      drain()
    },
    dispose() {
      const { requestState } = store.getState()
      for (const { outcome } of waiting.values()) {
        outcome.resolve({
          turnId: undefined,
          requestState,
          error: new EngineError(
            'disposed',
            'The engine was disposed before the message was sent.',
          ),
        })
      }
      waiting.clear()
    },
  }
}
