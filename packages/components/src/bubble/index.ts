/** One message: text, thoughts, tool calls, files and sources. */
export { default as AsBubble } from './AsBubble.vue'
/** Messages in order; a change of one renders that one only. */
export { default as AsBubbleList } from './AsBubbleList.vue'
export type {
  EditedMessage,
  Feedback,
  MessageAction,
  MessageActionEmits,
} from './actions/message-actions.ts'
export type {
  AsBubbleListProps,
  AsBubbleProps,
  BubbleSlots,
  OwnActionsProps,
  PartSlotProps,
} from './bubble-types.ts'
