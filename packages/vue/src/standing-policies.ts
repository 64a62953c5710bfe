import {
  deriveApprovalPolicies,
  type ApprovalScope,
  type ConfirmationRecord,
  type ToolCallRef,
} from '@assent/engine'

/** A standing permission: calls that it covers run without a question, unless it is suspended. */
export interface StandingPolicy {
  /** The id of the confirmation that made it; what `revoke` takes. */
  readonly id: string
  readonly toolName: string
  /** What it covers, as it was given. */
  readonly scope: ApprovalScope
  /** Whether it holds in this conversation only. */
  readonly where: 'conversation' | 'everywhere'
  /** When it was given. Milliseconds since the epoch. */
  readonly since: number
  /** Until when it holds; `undefined`: no end. Milliseconds since the epoch. */
  readonly until: number | undefined
  /** How many calls it has let run. */
  readonly uses: number
  /** How many more it lets run; `undefined`: no bound. */
  readonly usesLeft: number | undefined
  /** Everything was stopped: it covers nothing until a person lets it go on. */
  readonly isSuspended: boolean
  /** The call that it was given on. */
  readonly origin: PolicyOrigin
}

/** The call that a policy was given on. */
export interface PolicyOrigin extends ToolCallRef {
  readonly conversationId: string
  /** The call in one sentence; `undefined` when it has none, or is not in this conversation. */
  readonly summary: string | undefined
}

/** Which records the policies are derived from, and as of when. */
export interface PolicyFacts {
  readonly confirmations: readonly ConfirmationRecord[]
  readonly conversationId: string
  readonly now: number
  /** The sentence of a call of this conversation, if it is there and has one. */
  summaryOf(call: ToolCallRef): string | undefined
}

/** The policies that stand in a conversation, or are suspended, in the order in which they were given. */
export function readStandingPolicies({
  confirmations,
  conversationId,
  now,
  summaryOf,
}: PolicyFacts): readonly StandingPolicy[] {
  return deriveApprovalPolicies(confirmations, { now, conversationId })
    .filter(({ status }) => status === 'standing' || status === 'suspended')
    .map(({ id, toolName, scope, uses, status, confirmation }) => {
      const { messageId, step, toolCallId, at } = confirmation
      const ref = { messageId, step, toolCallId }
      const isHere = confirmation.conversationId === conversationId
      return {
        id,
        toolName,
        scope,
        where: scope.where ?? 'conversation',
        since: at,
        until: scope.until,
        uses,
        isSuspended: status === 'suspended',
        usesLeft: scope.uses === undefined ? undefined : Math.max(0, scope.uses - uses),
        origin: {
          ...ref,
          conversationId: confirmation.conversationId,
          summary: isHere ? summaryOf(ref) : undefined,
        },
      }
    })
}
