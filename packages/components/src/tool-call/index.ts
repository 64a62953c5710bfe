export { default as AsToolCall } from './AsToolCall.vue'
export type { AsToolCallProps, AsToolCallSlots, ToolCallSlotProps } from './tool-call-types.ts'
export type { Decide } from './use-decision.ts'
