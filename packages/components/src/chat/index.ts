/** A whole conversation: messages, what asks, what waits, and the composer. Fills its parent. */
export { default as AsChat } from './AsChat.vue'
export type { AsChatEmits, AsChatProps, AsChatSlots, ChatPrompt } from './chat-types.ts'
