import type { CommandResult } from '@assent/engine'
import type { PolicyOrigin, StandingPolicy, UseMessageReturn } from '@assent/vue'

/** Props of `AsPolicyList`. */
export interface AsPolicyListProps {
  /** The conversation. Default: that of the `AsChat` above, else the one given to `provideMessage`. */
  chat?: UseMessageReturn
  /** The permissions, for use without a conversation. Revoking is then left to `onRevoke`. */
  policies?: readonly StandingPolicy[]
  /** Which conversation is this one, with `policies`. Default: that of the permissions themselves. */
  conversationId?: string
  /** What the call of another conversation did, in a sentence. Default: not said. */
  summaryOf?: (policy: StandingPolicy) => string | undefined
  /** What another conversation is called. Default: "another conversation". */
  nameOf?: (conversationId: string) => string | undefined
  /** Listener of `revoke`, with `policies`; may resolve to a refusal, which is shown. */
  onRevoke?: (policyId: string) => Promise<CommandResult | void> | CommandResult | void
  /** Listener of `resume`, with `policies`: those that `stopAll()` has paused are to go on. */
  onResume?: () => unknown
  /** Listener of `show-call`; without one no call can be gone to. */
  onShowCall?: (origin: PolicyOrigin) => unknown
}

/** Slots of `AsPolicyList`. */
export interface AsPolicyListSlots {
  /** Shown while there is no permission. */
  empty?: () => unknown
}
