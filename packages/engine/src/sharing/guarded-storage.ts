import type { UIMessage } from 'ai'
import type { EngineStorage } from '../persistence.ts'
import { keepMessages } from './state-change.ts'

/** A store that is used as long as the conversation is held. */
export interface GuardedStorage {
  readonly storage: EngineStorage
  /** Resolves when the engine has stored what was left; at once when it never opened the store. */
  closed(): Promise<void>
}

/**
 * Guards a store: once the fence falls, nothing is written any more, and nothing that is read then
 * is acted on.
 *
 * @param shown the messages as they are shown: what equals them is restored as the same objects
 */
export function guardStorage(
  storage: EngineStorage,
  fence: AbortSignal,
  shown: readonly UIMessage[],
): GuardedStorage {
  let closing: Promise<void> | undefined
  return {
    closed: async () => closing,
    storage: {
      open(host) {
        const persistence = storage.open({ ...host, fence })
        return {
          async restore() {
            const stored = await persistence.restore()
            return stored && { ...stored, messages: keepMessages(shown, stored.messages) }
          },
          changed(messageId, isDraft) {
            if (!fence.aborted) persistence.changed(messageId, isDraft)
          },
          save: async () => !fence.aborted && persistence.save(),
          close() {
            closing = persistence.close()
            return closing
          },
        }
      },
    },
  }
}
