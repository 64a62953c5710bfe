export { useConversations } from './use-conversations.ts'
export type {
  UseConversationsOptions,
  UseConversationsReturn,
} from './use-conversations-options.ts'
