import { fingerprintOfCall } from '@assent/engine'
import type { ToolSet, UIMessage } from 'ai'
import type { AuditLog } from '../audit/audit-log.ts'
import { ownCopy } from '../own-copy.ts'
import type { CheckedApproval } from './check-approvals.ts'
import type { AskedCall } from './describe-requests.ts'
import { lastStepCalls, runsHere } from './open-calls.ts'

/** What a decision on a call of a conversation is noted with. */
export interface AuditDecisionsOptions {
  readonly messages: readonly UIMessage[]
  readonly conversationId: string
  /** Who decides; `''` where nothing tells users apart. */
  readonly who: string
  readonly now: () => number
}

/**
 * Notes in the audit who decided about a call, and who was asked; each decision once, by its question. Where shared
 * conversations have noted it already, as the page stored it before it was sent, that stands: it says more.
 */
export function auditDecisions(
  audit: AuditLog,
  { messages, conversationId, who, now }: AuditDecisionsOptions,
): (approval: CheckedApproval, approved: boolean) => Promise<void> {
  const parts = lastStepCalls(messages)
  const last = messages.at(-1)
  const step = last?.parts.filter(({ type }) => type === 'step-start').length ?? 0
  return async (approval, approved) => {
    const { toolCallId, toolName, approvalId, requester, isProviderExecuted } = approval
    const part = parts.find((one) => one.toolCallId === toolCallId)
    if (!part) return
    const call = {
      messageId: last?.id ?? '',
      step,
      toolCallId,
      fingerprint: fingerprintOfCall(part),
    }
    const decisions = await audit.query({ kind: 'decision', conversationId, toolName })
    const isNoted = decisions.some(({ payload }) => {
      const isOfCall = Object.entries(call).every(([name, value]) => payload[name] === value)
      return (
        isOfCall && payload['revokes'] === undefined && (payload['outcome'] !== 'no') === approved
      )
    })
    if (!isNoted) {
      await audit.recordDecision(
        {
          ...call,
          id: JSON.stringify([conversationId, approvalId, approved]),
          conversationId,
          toolName,
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
    if (approved || isProviderExecuted) return
    await audit.recordCall({
      conversationId,
      owner: requester === '' ? undefined : requester,
      toolCallId,
      toolName,
      input: ownCopy(part.input),
      phase: 'failed',
      outcome: 'denied',
      decidedBy: 'person',
    })
  }
}

/** Notes in the audit that a call of a tool of the server waits for a person. */
export function auditQuestions(
  audit: AuditLog,
  { tools, conversationId, owner }: { tools: ToolSet; conversationId: string; owner: string },
): (call: AskedCall) => Promise<void> {
  return async ({ toolCallId, toolName, input }) => {
    if (!runsHere(tools, toolName)) return
    await audit.recordCall({
      conversationId,
      owner: owner === '' ? undefined : owner,
      toolCallId,
      toolName,
      input: ownCopy(input),
      phase: 'queued',
    })
  }
}
