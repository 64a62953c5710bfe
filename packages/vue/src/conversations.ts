export { useConversations } from './use-conversations.ts'
export type {
  StoredEngineOptions,
  UseConversationsOptions,
  UseConversationsReturn,
} from './use-conversations-options.ts'
