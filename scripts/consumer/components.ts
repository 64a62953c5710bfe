// A user's program; compiled against the published components, never run.
import { AsChat, AsComposer, AsToolCall, type AsChatSlots } from '@assent/components'
import type { UseMessageReturn } from '@assent/vue'
import type { UIMessage } from 'ai'
import { h, type VNode } from 'vue'
import '@assent/components/style.css'

type MyMessage = UIMessage<
  { model: string },
  { weather: { city: string } },
  { writeNote: { input: { title: string }; output: string } }
>

/** The components are components, generic over the user's own message type. */
export function render(chat: UseMessageReturn<MyMessage>): VNode {
  return h(AsChat<MyMessage>, { chat, placeholder: 'Ask for something' })
}

/** The slots know the user's tools. */
export const slots: AsChatSlots<MyMessage> = {
  empty: () => 'Nothing said yet',
  'tool-writeNote': ({ part }) => (part.input ? `Note: ${part.input.title}` : ''),
}

export const others = [AsComposer, AsToolCall]
