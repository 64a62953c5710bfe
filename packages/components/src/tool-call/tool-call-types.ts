import type { EngineError, ToolCallPart, ToolCallStatus } from '@assent/engine'
import type {
  ApproveOptions,
  CancelCall,
  Decide,
  PendingDecision,
  SubmitOutput,
} from './use-decision.ts'

/** Props of `AsToolCall`. */
export interface AsToolCallProps<PART extends ToolCallPart = ToolCallPart> {
  part: PART
  /** The message that the call belongs to; needed where a provider reuses call ids. */
  messageId?: string
  /** Carries decisions out. Default: the conversation's tool plugin. */
  decide?: Decide
  /** Carries the answer to a call that awaits its output. Default: the conversation's tool plugin. */
  submit?: SubmitOutput
  /** Stops a call that runs here. Default: the conversation's tool plugin. */
  cancel?: CancelCall
}

/** What a slot that renders a tool call itself is given. */
export interface ToolCallSlotProps<PART extends ToolCallPart = ToolCallPart> {
  part: PART
  messageId: string | undefined
  status: ToolCallStatus
  /** What was decided and has not taken effect yet. */
  pending: PendingDecision | undefined
  /** Why the last decision was refused. */
  error: EngineError | undefined
  /** What is drawn was on the screen from beginning to end; a button for a yes waits for it. */
  isReviewed: boolean
  /** Says yes to this call; with `always` to others, too, with `input` to another input. */
  approve: (options?: ApproveOptions) => Promise<void>
  /** Says no to this call; the reason reaches the model. */
  deny: (reason?: string) => Promise<void>
  /** Answers in place of the tool. */
  submit: (output: unknown) => Promise<void>
  /** Stops the call while it runs here; the reason reaches the model. */
  cancel: (reason?: string) => Promise<void>
}

/** Slots of `AsToolCall`. */
export interface AsToolCallSlots<PART extends ToolCallPart = ToolCallPart> {
  /** Replaces everything. */
  default?: (props: ToolCallSlotProps<PART>) => unknown
  /** Replaces the input that a card which asks shows. */
  evidence?: (props: { part: PART }) => unknown
}
