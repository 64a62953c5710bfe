import { messageKey, type UseMessageReturn } from '@assent/vue'
import { computed, inject, provide, type ComputedRef, type InjectionKey } from 'vue'

/** What the components need of a conversation; what is not needed for decisions may be missing. */
type Chat = Pick<UseMessageReturn, 'runPluginCommand'> &
  Partial<
    Pick<UseMessageReturn, 'confirmations' | 'messages' | 'engine' | 'drafts' | 'setDraft'> &
      Pick<UseMessageReturn, 'turn' | 'error' | 'requestState' | 'retry'>
  >

const chatKey: InjectionKey<ComputedRef<Chat | undefined>> = Symbol('assent chat')

/** Tells the components below which conversation their decisions belong to. */
export function provideChat(chat: () => Chat): void {
  provide(chatKey, computed(chat))
}

/** The conversation of the component above, else the one given to `provideMessage`, else none. */
export function useChat(): ComputedRef<Chat | undefined> {
  const provided = inject(messageKey, undefined)
  return inject(
    chatKey,
    computed(() => provided),
  )
}
