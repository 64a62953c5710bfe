import type { CommandResult, ResumeToolCallPayload } from '@assent/engine'
import type { UseMessageReturn, WaitingCallEntry } from '@assent/vue'

/** Props of `AsApprovalTray`. */
export interface AsApprovalTrayProps {
  /** The conversation. Default: that of the `AsChat` above, else the one given to `provideMessage`. */
  chat?: UseMessageReturn
  /** What waits, in call order, for use without a conversation; decisions are then only emitted. */
  calls?: readonly WaitingCallEntry[]
  /**
   * Listener of `decide`, with `calls`: what was decided, at once. When it returns a promise, the
   * buttons are pending until that settles, and a refusal is shown.
   */
  onDecide?: (
    decisions: readonly ResumeToolCallPayload[],
  ) => Promise<CommandResult | void> | CommandResult | void
}

/** What `AsApprovalTray` emits. */
export interface AsApprovalTrayEmits {
  /** A person wants to see a call; its card was scrolled to if it is in the page. */
  jump: [call: WaitingCallEntry]
}
