import type { EngineStorage } from '../persistence.ts'
import { keepConversation, type KeepOptions } from './keep-conversation.ts'
import type { ConversationStorage } from './storage.ts'

/**
 * Makes a store of conversations fit for the engine's option `storage`: your own adapter, or one of
 * these with other options.
 *
 * ```ts
 * createMessageEngine({ id, storage: defineStorage(myAdapter), … })
 * ```
 */
export function defineStorage<STORAGE extends ConversationStorage>(
  storage: STORAGE,
  options: KeepOptions = {},
): STORAGE & EngineStorage {
  return Object.assign(Object.create(storage) as STORAGE, {
    open: (host) => keepConversation(storage, host, options),
  } satisfies EngineStorage)
}
