import type { QueuedMessage, RequestState } from '@assent/engine'
import type { FileUIPart } from 'ai'

/** Props of `AsQueue`. */
export interface AsQueueProps {
  /** The messages that wait, in the order in which they are sent. */
  queue: readonly QueuedMessage[]
  /** Where the conversation stands: after an abort or error nothing is sent by itself. */
  requestState?: RequestState
}

/** Events of `AsQueue`; each is a wish that the queue comes back changed. */
export interface AsQueueEmits {
  /** A message is to say something else; its files stay. */
  edit: [queuedId: string, input: { text: string; files: FileUIPart[] }]
  /** A message is to be held back, as long as its removal can be undone, or let go again. */
  hold: [queuedId: string, held: boolean]
  /** A message is to go for good. */
  remove: [queuedId: string]
  /** A message is to be sent next, also a held one. */
  send: [queuedId: string]
  /** A message is to have another place; `0` is the first. */
  move: [queuedId: string, toIndex: number]
  /** The focus has nothing left here. */
  leave: []
}
