import type { UseMessageReturn } from '@assent/vue'
import type { UIMessage } from 'ai'
import type { BubbleSlots } from '../bubble/bubble-types.ts'

/** Props of `AsChat`. */
export interface AsChatProps<MESSAGE extends UIMessage = UIMessage> {
  /** The conversation, from `useMessage`. Default: the one given to `provideMessage`. */
  chat?: UseMessageReturn<MESSAGE>
  /** Of the composer. Default: words that fit the state. */
  placeholder?: string
}

/** Slots of `AsChat`; those of its bubbles are among them. */
export type AsChatSlots<MESSAGE extends UIMessage = UIMessage> = BubbleSlots<MESSAGE> & {
  /** Above the messages; scrolls with them. */
  header?: () => unknown
  /** Shown while there is no message. */
  empty?: () => unknown
  /** Between the messages and the composer. */
  dock?: () => unknown
  /** At the start of the composer's row of buttons. */
  'composer-actions'?: () => unknown
}
