import type { UIMessage } from 'ai'
import { isToolUIPart } from 'ai'

/** Runs a call, or gives the outcome of the run that the same approval led to before. */
export type RunOnce = <OUTPUT>(toolCallId: string, run: () => OUTPUT) => Promise<OUTPUT>

/**
 * Remembers what approved calls came to.
 *
 * A signed approval can be posted again, by a retry after a cut connection or by somebody who kept
 * it; the signature fits each time. The outcome is given again, but the tool runs once.
 */
export interface ApprovedRuns {
  /** For the calls that a conversation's last message approves. */
  of: (messages: readonly UIMessage[]) => RunOnce
}

/** @param limit how many outcomes are kept; the oldest are forgotten first */
export function createApprovedRuns(limit = 1000): ApprovedRuns {
  const outcomes = new Map<string, Promise<unknown>>()
  return {
    of: (messages) => {
      const approvals = approvedCalls(messages.at(-1))
      return async <OUTPUT>(toolCallId: string, run: () => OUTPUT) => {
        const approvalId = approvals.get(toolCallId)
        // A later call of the same request may bear the same id; it has its own approval.
        approvals.delete(toolCallId)
        if (approvalId === undefined) return run()
        const before = outcomes.get(approvalId)
        if (before) return (await before) as OUTPUT
        const outcome = (async () => run())()
        outcomes.set(approvalId, outcome)
        const oldest = outcomes.size > limit ? outcomes.keys().next().value : undefined
        if (oldest !== undefined) outcomes.delete(oldest)
        return await outcome
      }
    },
  }
}

function approvedCalls(message: UIMessage | undefined): Map<string, string> {
  const approvals = new Map<string, string>()
  if (message?.role !== 'assistant') return approvals
  for (const part of message.parts) {
    if (isToolUIPart(part) && part.state === 'approval-responded' && part.approval.approved) {
      approvals.set(part.toolCallId, part.approval.id)
    }
  }
  return approvals
}
