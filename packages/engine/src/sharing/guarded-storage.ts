import type { UIMessage } from 'ai'
import type { EngineStorage } from '../persistence.ts'
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
  /** The messages as they are shown: what equals them is restored as the same objects. */
  readonly shown: readonly UIMessage[]
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
      open(host) {
        const persistence = storage.open({ ...host, lost, token: 'next', onTaken })
        return {
          async restore() {
            const stored = await persistence.restore()
            return stored && { ...stored, messages: keepMessages(shown, stored.messages) }
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
