import { EngineError } from '@assent/engine'
import type { UIMessage } from 'ai'
import { hasInjectionContext, inject, provide, type InjectionKey } from 'vue'
import type { UseMessageReturn } from './use-message.ts'

/** The key under which a conversation is provided; for `app.provide` and for tests. */
export const messageKey: InjectionKey<UseMessageReturn> = Symbol('assent message')

/**
 * Offers a conversation to all components below this one, so that they need no prop for it.
 *
 * @returns the same conversation
 */
export function provideMessage<CHAT extends UseMessageReturn>(chat: CHAT): CHAT {
  provide(messageKey, chat)
  return chat
}

/**
 * The conversation that a component above provided with {@link provideMessage}.
 *
 * The message type is the caller's word: `injectMessage<MyMessage>()` is not checked against what
 * was provided.
 *
 * @throws EngineError `invalid_argument` when no component above provided one
 */
export function injectMessage<MESSAGE extends UIMessage = UIMessage>(): UseMessageReturn<MESSAGE> {
  const key: InjectionKey<UseMessageReturn<MESSAGE>> = messageKey
  const chat = hasInjectionContext() ? inject(key, undefined) : undefined
  if (chat) return chat
  throw new EngineError(
    'invalid_argument',
    'injectMessage() found no conversation. Call provideMessage(useMessage(…)) in the setup() of ' +
      'a component above, and injectMessage() in the setup() of one below.',
  )
}
