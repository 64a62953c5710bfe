export { fromChannelText, toChannelText } from './channel-text.ts'
export { connectConversations } from './connect-conversations.ts'
export type { ConnectOptions, ServerConversations } from './connect-conversations.ts'
export type { AskedByPage, ToldToPage } from './wire.ts'
