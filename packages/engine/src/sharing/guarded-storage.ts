import type { UIMessage } from 'ai'
import type {
  EngineStorage,
  Persistence,
  PersistenceHost,
  RestoredConversation,
} from '../persistence.ts'
import { sentHere } from '../restore.ts'
import type { EngineState, QueuedMessage } from '../state.ts'
import { keepMessages } from './state-change.ts'

/** A store that is used as long as the conversation is held. */
export interface GuardedStorage {
  readonly storage: EngineStorage
  /** Resolves when the engine has stored what was left; at once when it never opened the store. */
  closed(): Promise<void>
}

/** How a store is guarded. */
export interface GuardOptions {
  /** From its abort on nothing is written any more, and nothing that is read then is acted on. */
  readonly lost: AbortSignal
  /** A write was refused: another tab, or whoever uses the store, holds the conversation. */
  readonly onTaken: () => void
  /**
   * The conversation as it is shown: of its messages, what equals them is restored as the same objects, and the
   * last one sent, which its holder could not store and whose turn is over, is held for a person to send.
   */
  readonly shown: EngineState
}

/** Guards a store for who has the lock of a conversation. */
export function guardStorage(
  storage: EngineStorage,
  { lost, onTaken, shown }: GuardOptions,
): GuardedStorage {
  let closing: Promise<void> | undefined
  return {
    closed: async () => closing,
    storage: {
      open<MESSAGE extends UIMessage>(host: PersistenceHost<MESSAGE>): Persistence<MESSAGE> {
        const persistence = storage.open({ ...host, lost, token: 'next', onTaken })
        return {
          async restore() {
            const stored = await persistence.restore()
            if (!stored) return undefined
            const left = notStored<MESSAGE>(shown, stored)
            if (left.length > 0) persistence.changed()
            return {
              ...stored,
              messages: keepMessages(shown.messages, stored.messages),
              queue: [...stored.queue, ...left],
            }
          },
          changed(messageId, isDraft) {
            if (!lost.aborted) persistence.changed(messageId, isDraft)
          },
          reordered() {
            if (!lost.aborted) persistence.reordered()
          },
          save: async (options) => (lost.aborted ? 'failed' : persistence.save(options)),
          async loadEarlier(isAll) {
            if (!lost.aborted) await persistence.loadEarlier?.(isAll)
          },
          hold: (queued) => persistence.hold(queued),
          close() {
            closing = persistence.close()
            return closing
          },
        }
      },
    },
  }
}

/** What was sent last, when it is shown and not stored. Whoever sent what goes on, or waits, sends it again. */
function notStored<MESSAGE extends UIMessage>(
  shown: EngineState,
  { messages, queue }: RestoredConversation<MESSAGE>,
): readonly QueuedMessage<MESSAGE>[] {
  if (shown.requestState === 'processing') return []
  const known = new Set([...messages, ...queue].map(({ id }) => id))
  // They come from engines of this very conversation.
  return sentHere({ ...shown, queue: [] }).filter(
    (one): one is QueuedMessage<MESSAGE> => !known.has(one.id),
  )
}
