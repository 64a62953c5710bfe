import { h, type VNode } from 'vue'
import type { UseMessageReturn } from '../use-message.ts'

/** A list that reads a conversation in every way: ids, single messages, the whole, the state. */
export function messageList(chat: UseMessageReturn): VNode {
  const texts = (messageId: string): string[] =>
    chat
      .message(messageId)
      .value?.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])) ?? []
  return h('ul', [
    ...chat.messageIds.value.map((messageId) => h('li', texts(messageId))),
    h('li', `${chat.requestState.value} ${chat.messages.value.length}`),
  ])
}
