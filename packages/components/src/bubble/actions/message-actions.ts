import type { FileUIPart } from 'ai'
import { computed, inject, provide, type ComputedRef, type InjectionKey } from 'vue'

/** What can be done with a message. */
export type MessageAction = 'copy' | 'edit' | 'regenerate' | 'feedback'

/** What a person thinks of an answer. */
export type Feedback = 'good' | 'bad'

/** What a user message is to say instead; the files are those that it had. */
export interface EditedMessage {
  text: string
  files: FileUIPart[]
}

/** Events of what shows messages, when it is given the prop `actions`. */
export interface MessageActionEmits {
  /** The Markdown source of a message was copied. */
  copy: [messageId: string]
  /** A user message is to say something else; what follows it is to be dropped. */
  edit: [messageId: string, input: EditedMessage]
  /** Another answer is wanted in the place of this one. */
  regenerate: [messageId: string]
  /** What a person thinks of an answer; `undefined` takes it back. Kept by the app, if at all. */
  feedback: [messageId: string, value: Feedback | undefined]
}

/** What the actions of all messages below have in common. */
export interface MessageActionsContext {
  readonly offered: ComputedRef<readonly MessageAction[]>
  /** A turn is open: nothing can be changed. */
  readonly isBusy: ComputedRef<boolean>
  /** Of the list; only one while a bubble stands by itself. */
  messageIds(): readonly string[]
  copied(messageId: string): void
  /** Why it was refused, once that is known; nothing where nobody says. */
  edit(messageId: string, input: EditedMessage): void | Promise<string | undefined>
  regenerate(messageId: string): void
  feedback(messageId: string, value: Feedback | undefined): void
  /** What was said before; `undefined` where nobody keeps it. */
  feedbackOf(messageId: string): Feedback | undefined
  /** Where the focus goes when there is nothing left to do at a message. */
  leave?(): void
}

const actionsKey: InjectionKey<MessageActionsContext> = Symbol('assent message actions')

/** Offers actions to all messages below. */
export function provideMessageActions(context: MessageActionsContext): void {
  provide(actionsKey, context)
}

/** The actions that are offered here, if any are. */
export function useMessageActions(): MessageActionsContext | undefined {
  return inject(actionsKey, undefined)
}

interface OwnActions {
  actions: () => readonly MessageAction[] | undefined
  isBusy: () => boolean
  messageIds: () => readonly string[]
  feedbackOf: (messageId: string) => Feedback | undefined
  copied: (messageId: string) => void
  edit: (messageId: string, input: EditedMessage) => void
  regenerate: (messageId: string) => void
  feedback: (messageId: string, value: Feedback | undefined) => void
}

/** Offers what the props of a component say, unless one above offers actions. */
export function offerMessageActions({ actions, isBusy, ...own }: OwnActions): void {
  if (useMessageActions()) return
  const offered = computed(() => actions() ?? [])
  provideMessageActions({ ...own, offered, isBusy: computed(isBusy) })
}
