// A user's program; compiled against the published composables, never run.
import type { UseMessageReturn } from '@assent/vue'
import type { UIMessage } from 'ai'

type MyMessage = UIMessage<{ model: string }>

/** The user's own message type reaches the refs. */
export function modelOf(conversation: UseMessageReturn<MyMessage>): string | undefined {
  const metadata: { model: string } | undefined = conversation.message('m1').value?.metadata
  return conversation.isPaused.value ? undefined : metadata?.model
}
