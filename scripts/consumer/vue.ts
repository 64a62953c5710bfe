// A user's program; compiled against the published composables, never run.
import { httpTransport } from '@assent/engine'
import { injectMessage, provideMessage, useMessage, type UseMessageReturn } from '@assent/vue'
import { useChat, type UseChatReturn } from '@assent/vue/ai-sdk'
import type { UIMessage } from 'ai'
import { ref } from 'vue'

type MyMessage = UIMessage<{ model: string }>

const id = ref('first')

export const conversation: UseMessageReturn<MyMessage> = useMessage<MyMessage>({
  id,
  transport: httpTransport({ api: '/api/chat' }),
})

/** The user's own message type reaches the refs. */
export function modelOf(messageId: string): string | undefined {
  const metadata: { model: string } | undefined = conversation.message(messageId).value?.metadata
  return conversation.isPaused.value ? undefined : metadata?.model
}

provideMessage(conversation)
export const injected: UseMessageReturn<MyMessage> = injectMessage<MyMessage>()

/** The names of `@ai-sdk/vue`, with the user's own messages. */
export const moved: UseChatReturn<MyMessage> = useChat<MyMessage>({ id: 'moved' })
