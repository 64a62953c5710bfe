export { default as AsChat } from './AsChat.vue'
export type { AsChatProps, AsChatSlots } from './chat-types.ts'
