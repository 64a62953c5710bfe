import { EngineError } from '../errors.ts'
import type { EngineStorage } from '../persistence.ts'

/** A store that may be used for one conversation, as long as that is held. */
export interface HeldStorage {
  readonly storage: EngineStorage
  /** Resolves when all that was left by engines that were disposed is stored. */
  closed(): Promise<void>
}

/** By what a conversation is held. */
export interface HeldStorageOptions {
  readonly conversationId: string
  readonly conversationOwner: string | undefined
  /** All that is written has it. */
  readonly token: number
  /** From its abort on nothing is written any more. */
  readonly over: AbortSignal
  /** A write was refused: there is a later holder. */
  readonly lose: () => void
}

/**
 * A store for who holds one conversation: every write has the token of the hold, and none is made after
 * the hold is over. Throws `invalid_argument` for an engine of any other conversation.
 */
export function heldStorage(
  storage: EngineStorage,
  { conversationId, conversationOwner, token, over, lose }: HeldStorageOptions,
): HeldStorage {
  const closings = new Set<Promise<void>>()
  return {
    closed: async () => {
      await Promise.all(closings)
    },
    storage: {
      open(host) {
        if (host.conversationId !== conversationId) {
          throw new EngineError(
            'invalid_argument',
            `What is held is the conversation ${JSON.stringify(conversationId)}, not ` +
              `${JSON.stringify(host.conversationId)}: give the engine that id.`,
          )
        }
        if (host.owner !== conversationOwner) {
          throw new EngineError(
            'invalid_argument',
            'What is held belongs to another owner: give the engine the one of `conversationOwner`.',
          )
        }
        const persistence = storage.open({
          ...host,
          token,
          lost: host.lost ? AbortSignal.any([host.lost, over]) : over,
          onTaken() {
            lose()
            host.onTaken?.()
          },
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
