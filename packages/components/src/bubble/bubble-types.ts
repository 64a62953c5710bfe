import type { ToolCallPart } from '@assent/engine'
import type { UIMessage } from 'ai'
import type { Feedback, MessageAction } from './actions/message-actions.ts'
import type { ToolCallSlotProps } from '../tool-call/tool-call-types.ts'

type PartOf<MESSAGE extends UIMessage> = MESSAGE['parts'][number]
type ToolPartOf<MESSAGE extends UIMessage> = Extract<PartOf<MESSAGE>, ToolCallPart>
type StaticToolPartOf<MESSAGE extends UIMessage> = Extract<
  PartOf<MESSAGE>,
  { type: `tool-${string}` }
>
type DynamicToolPartOf<MESSAGE extends UIMessage> = Extract<
  PartOf<MESSAGE>,
  { type: 'dynamic-tool' }
>
type PlainPartOf<MESSAGE extends UIMessage> = Exclude<
  PartOf<MESSAGE>,
  ToolCallPart | { type: 'step-start' }
>

/** What a slot that renders one part itself is given. */
export interface PartSlotProps<PART, MESSAGE extends UIMessage = UIMessage> {
  part: PART
  /** Place of the part in its message. */
  index: number
  message: MESSAGE
}

/**
 * Slots for the parts of a message, typed by the message: `#tool-<name>` gets the call with the input
 * and output of that tool, `#part-<type>` the part of that type (`#part-text`, `#part-data-weather`).
 * `#tool-<name>-preview` replaces what a card of that tool shows of the call while it asks.
 * `#dynamic-tool` renders tools that are not known by type, `#tool` every call without a slot of its own.
 */
export type BubbleSlots<MESSAGE extends UIMessage = UIMessage> = {
  [TYPE in StaticToolPartOf<MESSAGE>['type']]?: (
    props: ToolCallSlotProps<Extract<StaticToolPartOf<MESSAGE>, { type: TYPE }>>,
  ) => unknown
} & {
  [TYPE in StaticToolPartOf<MESSAGE>['type'] as `${TYPE}-preview`]?: (props: {
    part: Extract<StaticToolPartOf<MESSAGE>, { type: TYPE }>
  }) => unknown
} & {
  [TYPE in PlainPartOf<MESSAGE>['type'] as `part-${TYPE}`]?: (
    props: PartSlotProps<Extract<PlainPartOf<MESSAGE>, { type: TYPE }>, MESSAGE>,
  ) => unknown
} & {
  'dynamic-tool'?: (props: ToolCallSlotProps<DynamicToolPartOf<MESSAGE>>) => unknown
  tool?: (props: ToolCallSlotProps<ToolPartOf<MESSAGE>>) => unknown
  /** At the end of the row of buttons below a message. */
  'message-actions'?: (props: { message: MESSAGE; isLast: boolean }) => unknown
}

/** What can be done with messages, where no chat around them knows. */
export interface OwnActionsProps {
  /** What can be done with a message; each is told of by an event. Default: nothing. */
  actions?: readonly MessageAction[]
  /** Whether an answer is on its way, so that nothing can be changed. Default `false`. */
  isBusy?: boolean
  /** What the person thinks of an answer, where the app keeps it. */
  feedbackOf?: (messageId: string) => Feedback | undefined
}

/** Props of `AsBubble`. */
export interface AsBubbleProps<MESSAGE extends UIMessage = UIMessage> extends OwnActionsProps {
  message: MESSAGE
}

/** Props of `AsBubbleList`. */
export interface AsBubbleListProps<MESSAGE extends UIMessage = UIMessage> extends OwnActionsProps {
  /** In order, as `useMessage` gives them. */
  messageIds: readonly string[]
  /** One message as a ref of its own, as `useMessage` gives it: each bubble reads only its own. */
  message: (messageId: string) => Readonly<{ value: MESSAGE | undefined }>
  /**
   * Keeps only the messages near the view in the page, for conversations of many hundreds; the list
   * needs something around it that scrolls. Finding in the page finds only those. Default `false`.
   */
  virtual?: boolean
}
