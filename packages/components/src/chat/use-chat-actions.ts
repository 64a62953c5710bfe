import type { EngineError } from '@assent/engine'
import type { UseMessageReturn } from '@assent/vue'
import type { FileUIPart, UIMessage } from 'ai'
import { computed } from 'vue'
import {
  provideMessageActions,
  type EditedMessage,
  type Feedback,
  type MessageAction,
} from '../bubble/actions/message-actions.ts'
import { useLocale } from '../config/config.ts'
import type { Announce } from '../context/announcer.ts'
import { loadErrorWords, wordsOfError } from './error-words.ts'

export interface ChatActionsOptions<MESSAGE extends UIMessage> {
  chat: () => UseMessageReturn<MESSAGE>
  offered: () => readonly MessageAction[]
  feedback: (messageId: string, value: Feedback | undefined) => void
  feedbackOf: (messageId: string) => Feedback | undefined
  /** Puts back what was refused, where that is possible. */
  giveBack: (text: string, files: readonly FileUIPart[]) => void
  announce: Announce
  /** The turn of what was sent has begun, or it waits. */
  onSent: () => void
  focusComposer: () => void
  /** Among the messages: what had the focus is about to go. */
  focusMessages: () => void
}

/** What a person does in a chat, done by its conversation. */
export interface ChatActions {
  send(text: string, files: readonly FileUIPart[]): Promise<void>
}

/** Offers the actions of the messages, and sends. What is refused is said, and not lost. */
export function useChatActions<MESSAGE extends UIMessage>(
  options: ChatActionsOptions<MESSAGE>,
): ChatActions {
  const { chat, announce, focusComposer, onSent } = options
  const locale = useLocale()

  async function inWords(error: EngineError): Promise<string> {
    await loadErrorWords()
    return wordsOfError(error, locale.value)
  }

  provideMessageActions({
    offered: computed(options.offered),
    isBusy: computed(() => ['processing', 'paused'].includes(chat().requestState.value)),
    messageIds: () => chat().messageIds.value,
    copied() {},
    async edit(messageId, { text, files }: EditedMessage) {
      const metadata = chat().message(messageId).value?.metadata
      const edited = { text, files, ...(metadata !== undefined && { metadata }) }
      const { turnId, error } = await chat().editMessage(messageId, edited)
      return turnId === undefined && error ? inWords(error) : undefined
    },
    async regenerate(messageId) {
      options.focusMessages()
      onSent()
      const { turnId, error } = await chat().regenerate({ messageId })
      if (turnId === undefined && error) announce(await inWords(error))
    },
    feedback: options.feedback,
    feedbackOf: options.feedbackOf,
    leave: focusComposer,
  })

  return {
    async send(text, files) {
      const { id } = chat()
      const sentIn = id.value
      const sent = chat().sendMessage(files.length > 0 ? { text, files: [...files] } : text)
      onSent()
      const { turnId, error } = await sent
      if (turnId !== undefined || !error || error.code === 'removed') return
      if (id.value === sentIn) options.giveBack(text, files)
      announce(await inWords(error))
    },
  }
}
