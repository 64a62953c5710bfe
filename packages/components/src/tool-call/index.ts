/** One tool call: a line while it runs or is done, a card where a look is due, a card that asks. */
export { default as AsToolCall } from './AsToolCall.vue'
export type { AsToolCallProps, AsToolCallSlots, ToolCallSlotProps } from './tool-call-types.ts'
export type {
  ApproveOptions,
  CancelCall,
  Decide,
  PendingDecision,
  SubmitOutput,
} from './use-decision.ts'
