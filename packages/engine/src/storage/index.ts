export { defineStorage } from './define-storage.ts'
export { indexedDBStorage } from './indexed-db-storage.ts'
export type { IndexedDBStorage, IndexedDBStorageOptions } from './indexed-db-storage.ts'
export type { KeepOptions } from './keep-conversation.ts'
export { localStorageStorage } from './local-storage.ts'
export type { LocalStorageOptions, WebStorageArea } from './local-storage.ts'
export { memoryStorage } from './memory-storage.ts'
export type { MemoryStorage, StorageContent } from './memory-storage.ts'
export type { ConversationStorage, StorageChanges, StorageWriteOptions } from './storage.ts'
export { storedConversations } from './stored-conversations.ts'
export type {
  ConversationListing,
  ExportedConversation,
  StoredConversations,
  StoredConversationsOptions,
} from './stored-conversations.ts'
export { fromUnstorage } from './unstorage-storage.ts'
export type { FromUnstorageOptions, UnstorageLike } from './unstorage-storage.ts'
