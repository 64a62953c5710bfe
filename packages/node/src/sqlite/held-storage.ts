import type { EngineStorage } from '@assent/engine'
import { DatabaseError } from './database-error.ts'

/** A store that may be used for one conversation, as long as that is held. */
export interface HeldStorage {
  readonly storage: EngineStorage
  /** Resolves when all that was left by engines that were disposed is stored. */
  closed(): Promise<void>
}

/** @param fence from its abort on nothing is written any more */
export function heldStorage(
  storage: EngineStorage,
  conversationId: string,
  fence: AbortSignal,
): HeldStorage {
  const closings = new Set<Promise<void>>()
  return {
    closed: async () => {
      await Promise.all(closings)
    },
    storage: {
      open(host) {
        if (host.conversationId !== conversationId) {
          throw new DatabaseError(
            'invalid_argument',
            `What is held is the conversation ${JSON.stringify(conversationId)}, not ` +
              `${JSON.stringify(host.conversationId)}: give the engine that id.`,
          )
        }
        const persistence = storage.open({
          ...host,
          fence: host.fence ? AbortSignal.any([host.fence, fence]) : fence,
        })
        return {
          ...persistence,
          close() {
            const closing = persistence.close()
            closings.add(closing)
            return closing
          },
        }
      },
    },
  }
}
