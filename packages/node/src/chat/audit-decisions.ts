import { fingerprintOfCall } from '@assent/engine'
import type { UIMessage } from 'ai'
import type { AuditLog } from '../audit/audit-log.ts'
import type { CheckedApproval } from './check-approvals.ts'
import { lastStepCalls } from './open-calls.ts'

/** What a decision on a call of a conversation is noted with. */
export interface AuditDecisionsOptions {
  readonly messages: readonly UIMessage[]
  readonly conversationId: string
  /** Who decides; `''` where nothing tells users apart. */
  readonly who: string
  readonly now: () => number
}

/** Notes in the audit who decided about a call, and who was asked; each decision once, by its question. */
export function auditDecisions(
  audit: AuditLog,
  { messages, conversationId, who, now }: AuditDecisionsOptions,
): (approval: CheckedApproval, approved: boolean) => Promise<void> {
  const parts = lastStepCalls(messages)
  const last = messages.at(-1)
  const step = last?.parts.filter(({ type }) => type === 'step-start').length ?? 0
  return async ({ toolCallId, toolName, approvalId, requester }, approved) => {
    const part = parts.find((one) => one.toolCallId === toolCallId)
    if (!part) return
    await audit.recordDecision(
      {
        id: JSON.stringify([conversationId, approvalId, approved]),
        conversationId,
        messageId: last?.id ?? '',
        step,
        toolCallId,
        toolName,
        fingerprint: fingerprintOfCall(part),
        outcome: approved ? 'yes' : 'no',
        at: now(),
      },
      {
        ...(who !== '' && { who }),
        ...(requester !== '' && { requester }),
        // As the calls of the server's tools are noted.
        call: { conversationId, toolCallId },
      },
    )
  }
}
