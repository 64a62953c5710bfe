import type { UIMessage } from 'ai'
import { isDevelopment } from './development.ts'
import { EngineError } from './errors.ts'
import type { QueuedMessage } from './state.ts'

type Queue<MESSAGE extends UIMessage> = readonly QueuedMessage<MESSAGE>[]

/** The first message that may be sent without being asked for. */
export function nextSendable<MESSAGE extends UIMessage>(
  queue: Queue<MESSAGE>,
): QueuedMessage<MESSAGE> | undefined {
  return queue.find((queued) => !queued.held)
}

/** After an abort or error nothing is sent by itself any more. */
export function holdAll<MESSAGE extends UIMessage>(queue: Queue<MESSAGE>): Queue<MESSAGE> {
  return nextSendable(queue) ? queue.map((queued) => ({ ...queued, held: true })) : queue
}

/** The queue with a message of it at another place; the same when it is there. */
export function moveTo<MESSAGE extends UIMessage>(
  queue: Queue<MESSAGE>,
  queued: QueuedMessage<MESSAGE>,
  toIndex: number,
): Queue<MESSAGE> {
  if (!Number.isInteger(toIndex)) {
    throw new EngineError(
      'invalid_argument',
      isDevelopment && 'The place of a queued message is a whole number.',
    )
  }
  const others = queue.filter((other) => other !== queued)
  const place = Math.min(Math.max(toIndex, 0), others.length)
  if (queue[place] === queued) return queue
  return others.toSpliced(place, 0, queued)
}

/** Throws `unknown_message` when no queued message has this id. */
export function findQueued<MESSAGE extends UIMessage>(
  queue: Queue<MESSAGE>,
  queuedId: string,
): QueuedMessage<MESSAGE> {
  const found = queue.find((queued) => queued.id === queuedId)
  if (found) return found
  const message = `No queued message has the id ${queuedId}; it was sent or removed.`
  throw new EngineError('unknown_message', message, { details: { queuedId } })
}
