import type { EngineError, ToolCallPart, ToolCallStatus } from '@assent/engine'
import type { Decide } from './use-decision.ts'

/** Props of `AsToolCall`. */
export interface AsToolCallProps<PART extends ToolCallPart = ToolCallPart> {
  part: PART
  /** The message that the call belongs to; needed where a provider reuses call ids. */
  messageId?: string
  /** Carries decisions out. Default: the conversation's tool plugin. */
  decide?: Decide
}

/** What a slot that renders a tool call itself is given. */
export interface ToolCallSlotProps<PART extends ToolCallPart = ToolCallPart> {
  part: PART
  messageId: string | undefined
  status: ToolCallStatus
  /** What was decided and has not taken effect yet. */
  pending: 'yes' | 'no' | undefined
  /** Why the last decision was refused. */
  error: EngineError | undefined
  /** Says yes to this call. */
  approve: () => Promise<void>
  /** Says no to this call; the reason reaches the model. */
  deny: (reason?: string) => Promise<void>
}

/** Slots of `AsToolCall`. */
export interface AsToolCallSlots<PART extends ToolCallPart = ToolCallPart> {
  /** Replaces everything. */
  default?: (props: ToolCallSlotProps<PART>) => unknown
  /** Replaces the input that a card which asks shows. */
  evidence?: (props: { part: PART }) => unknown
}
