import type { UseMessageReturn } from '@assent/vue'
import type { UIMessage } from 'ai'
import type { Feedback, MessageAction } from '../bubble/actions/message-actions.ts'
import type { AttentionOptions } from '../attention/attention-options.ts'
import type { BubbleSlots } from '../bubble/bubble-types.ts'
import type { AsComposerProps } from '../composer/composer-types.ts'
import type { ScrollMode } from './use-follow.ts'

/** A request that is offered while there is no message. */
export interface ChatPrompt {
  label: string
  /** What is sent. Default: the label. */
  text?: string
  /** Puts it into the composer, to be completed, instead of sending it. */
  fill?: boolean
}

/** Props of `AsChat`. */
export interface AsChatProps<MESSAGE extends UIMessage = UIMessage> {
  /** The conversation, from `useMessage`. Default: the one given to `provideMessage`. */
  chat?: UseMessageReturn<MESSAGE>
  /** Of the composer. Default: words that fit the state. */
  placeholder?: string
  /** Whether an `AsApprovalTray` stands above the composer when it helps. Default `true`. */
  tray?: boolean
  /**
   * How a person is drawn back who does not look at the page while calls wait. Default: the count in
   * the title of the page; `false`: not at all. Notifications are offered in the tray.
   */
  attention?: boolean | AttentionOptions
  /**
   * What becomes of the view while messages come. `follow` (default): their end stays in view until the
   * reader goes elsewhere. `anchor-turn`: a message that is sent goes to the top, and the answer grows
   * below it. `off`: nothing.
   */
  scroll?: ScrollMode
  /** Keeps only the messages near the view in the page, for conversations of many hundreds. */
  virtual?: boolean
  /** Requests to begin with, while there is no message. */
  prompts?: readonly (string | ChatPrompt)[]
  /**
   * What can be done with a message. Default: copy it, edit one's own, and ask for another answer in
   * the place of the last one. With `'feedback'` there are thumbs, too; see the event `feedback`.
   */
  actions?: readonly MessageAction[]
  /** What the person thinks of an answer, where the app keeps it. */
  feedbackOf?: (messageId: string) => Feedback | undefined
  /**
   * Listener of `@new-conversation`: begins another conversation. With it, that is offered where this one cannot go
   * on, because the model can't read a file or its context is full.
   */
  onNewConversation?: () => void
  /** Of the composer: attachments, what sends, the most characters, … */
  composer?: Omit<AsComposerProps, 'requestState' | 'placeholder' | 'history'>
}

/** Events of `AsChat`. */
export interface AsChatEmits {
  /** What a person thinks of an answer; `undefined` takes it back. Kept by the app, if at all. */
  feedback: [messageId: string, value: Feedback | undefined]
}

/** Slots of `AsChat`; those of its bubbles are among them. */
export type AsChatSlots<MESSAGE extends UIMessage = UIMessage> = BubbleSlots<MESSAGE> & {
  /** Above the messages; scrolls with them. */
  header?: () => unknown
  /** Shown while there is no message. */
  empty?: () => unknown
  /** Between the messages and the composer. */
  dock?: () => unknown
  /** In place of the words on how the turn stands, below the messages. */
  status?: () => unknown
  /** In place of the messages that wait. */
  queue?: () => unknown
  /** In place of the composer. */
  composer?: () => unknown
  /** Above the composer's field. */
  'composer-header'?: () => unknown
  /** At the start of the composer's row of buttons. */
  'composer-actions'?: () => unknown
  /** In place of the words between the composer's buttons. */
  'composer-hint'?: () => unknown
  /** Before the composer's buttons that stop and send. */
  'composer-buttons'?: () => unknown
  /** Below the composer. */
  footer?: () => unknown
}
