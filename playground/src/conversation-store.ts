import { connectConversations } from '@assent/engine/remote'
import { indexedDBStorage, type ConversationStorage } from '@assent/engine/storage'
import { readonly, shallowRef, type Ref } from 'vue'
import { userName } from './user-name.ts'
import { whereKept } from './where-kept.ts'

/** Where the conversations of this page are kept. */
export interface ConversationStore {
  readonly storage: ConversationStorage
  /** Whether the store can be reached. */
  readonly isConnected: Readonly<Ref<boolean>>
}

/** @param onListed another page changed what the list shows of one conversation, or of any */
export function openConversationStore(
  onListed: (id: string | undefined) => void,
): ConversationStore {
  const isConnected = shallowRef(true)
  if (whereKept() === 'browser') {
    const storage = indexedDBStorage({ name: 'assent-playground' })
    return { storage, isConnected }
  }
  const url = new URL('/api/conversations', location.href)
  url.protocol = url.protocol.replace('http', 'ws')
  url.searchParams.set('user', userName())
  const { storage } = connectConversations({
    url,
    onListed,
    onConnected: (isThere) => (isConnected.value = isThere),
  })
  return { storage, isConnected: readonly(isConnected) }
}
