import { onBeforeUnmount, onMounted, ref, watchEffect, type Ref } from 'vue'
import type { SendKey } from '../composer/use-submit-key.ts'
import { useConfig } from '../config/config.ts'
import type { AskBoard } from '../context/ask-board.ts'

/** Where the keys of a chat act. */
export interface ChatKeysOptions {
  readonly element: Readonly<Ref<HTMLElement | null>>
  readonly scroller: Readonly<Ref<HTMLElement | null>>
  readonly board: AskBoard
  readonly config: ReturnType<typeof useConfig>
  readonly focusComposer: () => void
  readonly sendKey: () => SendKey | undefined
}

/** The keys of a chat: to what waits from anywhere, and from message to message. */
export function useChatKeys(options: Omit<ChatKeysOptions, 'config'>): void {
  const config = useConfig()
  const isListening = ref(false)
  let stop: (() => void) | undefined
  let isOver = false

  // A hint is shown only while its key works.
  watchEffect(() => {
    options.board.nextKey.value = isListening.value ? config.value.nextKey : ''
  })
  onMounted(async () => {
    const keys = await import('./chat-keys.ts').catch(() => undefined)
    if (!keys || isOver) return
    stop = keys.listenForKeys({ ...options, config })
    isListening.value = true
  })
  onBeforeUnmount(() => {
    isOver = true
    stop?.()
  })
}
