export type {
  ChannelNews,
  ChannelPlace,
  ChannelTable,
  ConversationName,
  DecidedBy,
  SaidOnChannel,
  SharedConversations,
  SharedWriteOptions,
} from './shared-conversations.ts'
export { defineStorage } from './define-storage.ts'
export { DatabaseError } from './database-error.ts'
export type { DatabaseErrorCode } from './database-error.ts'
export { heldConversations } from './held-conversations.ts'
export type {
  ConversationLease,
  ConversationLeases,
  HeldConversationsOptions,
} from './held-conversations.ts'
export type { ConversationHold, Conversations, HoldOptions } from './conversations.ts'
export { indexedDBStorage } from './indexed-db-storage.ts'
export type { IndexedDBStorage, IndexedDBStorageOptions } from './indexed-db-storage.ts'
export type { KeepOptions } from './keep-conversation.ts'
export { localStorageStorage } from './local-storage.ts'
export type { LocalStorageOptions, WebStorageArea } from './local-storage.ts'
export { memoryStorage } from './memory-storage.ts'
export type { MemoryStorage, StorageContent } from './memory-storage.ts'
export { tryClaim } from './claim.ts'
export type { ClaimOutcome } from './claim.ts'
export { fenced, passFence } from './fence.ts'
export { namedListeners } from './named-listeners.ts'
export type { NamedListeners } from './named-listeners.ts'
export { keysInRange, listInRange } from './ranges.ts'
export type {
  ConversationStorage,
  StorageChanges,
  StorageClaim,
  StorageClaims,
  StorageListPlace,
  StorageListRange,
  StorageRange,
  StorageWriteOptions,
  StorageWriteResult,
} from './storage.ts'
export { listingOf } from './conversation-listing.ts'
export type { ConversationListing } from './conversation-listing.ts'
export type { ConversationPage } from './list-conversations.ts'
export { likeInJson } from './text-pattern.ts'
export { toExported } from './exported-conversation.ts'
export type { ExportedConversation } from './exported-conversation.ts'
export { conversationOf, everywhereOf, namespaceOf, removedOf } from './conversation-records.ts'
export { isConfirmation } from './record-guards.ts'
export { besideNotes, isOfNotes, notesBeside } from './decision-notes.ts'
export { decodeName, encodeName, endOfNames } from './stored-names.ts'
export { onOwnerCleared, ownerPrefix } from '../owner.ts'
export type { OwnerListener } from '../owner.ts'
export { clearOwner, storedConversations } from './stored-conversations.ts'
export type { StoredConversations, StoredConversationsOptions } from './stored-conversations.ts'
export { readStoredConfirmations, storedRevocation } from './stored-policies.ts'
export type { NewRecord, StoredRevocation } from './stored-policies.ts'
export { fromUnstorage } from './unstorage-storage.ts'
export type { FromUnstorageOptions, UnstorageLike } from './unstorage-storage.ts'
