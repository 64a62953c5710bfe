/** A whole conversation: messages, what asks, what waits, and the composer. Fills its parent. */
export { default as AsChat } from './AsChat.vue'
export type { AsChatProps, AsChatSlots } from './chat-types.ts'
