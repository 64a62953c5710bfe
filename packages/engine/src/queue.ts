import type { UIMessage } from 'ai'
import { EngineError } from './errors.ts'
import type { QueuedMessage } from './state.ts'

type Queue<MESSAGE extends UIMessage> = readonly QueuedMessage<MESSAGE>[]

/** Whether a message waits that may be sent without being asked for. */
export function hasSendable<MESSAGE extends UIMessage>(queue: Queue<MESSAGE>): boolean {
  return queue.some((queued) => !queued.held)
}

/** The first message that may be sent, and the queue without it. */
export function takeSendable<MESSAGE extends UIMessage>(
  queue: Queue<MESSAGE>,
): { next: QueuedMessage<MESSAGE> | undefined; rest: Queue<MESSAGE> } {
  const next = queue.find((queued) => !queued.held)
  return { next, rest: next ? queue.filter((queued) => queued !== next) : queue }
}

/** After an abort or error nothing is sent by itself any more. */
export function holdAll<MESSAGE extends UIMessage>(queue: Queue<MESSAGE>): Queue<MESSAGE> {
  return queue.some((queued) => !queued.held)
    ? queue.map((queued) => ({ ...queued, held: true }))
    : queue
}

/** Puts a message first and lets it go. */
export function release<MESSAGE extends UIMessage>(
  queue: Queue<MESSAGE>,
  queuedId: string,
): Queue<MESSAGE> {
  const released = findQueued(queue, queuedId)
  return [{ ...released, held: false }, ...queue.filter((queued) => queued !== released)]
}

/** Throws `unknown_message` when no queued message has this id. */
export function findQueued<MESSAGE extends UIMessage>(
  queue: Queue<MESSAGE>,
  queuedId: string,
): QueuedMessage<MESSAGE> {
  const found = queue.find((queued) => queued.id === queuedId)
  if (found) return found
  throw new EngineError(
    'unknown_message',
    `No queued message has the id ${queuedId}; it was sent or removed.`,
    { details: { queuedId } },
  )
}
