export { default as AsBubble } from './AsBubble.vue'
export { default as AsBubbleList } from './AsBubbleList.vue'
export type {
  AsBubbleListProps,
  AsBubbleProps,
  BubbleSlots,
  PartSlotProps,
} from './bubble-types.ts'
