import type { ToolSet } from 'ai'
import type { ApprovalLedger } from './approval-ledger.ts'
import type { ApprovalSeal, ReadSeal } from './approval-seal.ts'
import type { ApprovedCall } from './open-calls.ts'
import { RequestError } from './request-error.ts'

/** A yes that holds. */
export interface CheckedApproval extends ApprovedCall, ReadSeal {
  /** It was held by the gate for so long that it is not to run any more. */
  readonly isTooOld: boolean
}

/** What decisions are checked against. Times are milliseconds. */
export interface ApprovalRules {
  readonly seal: ApprovalSeal
  readonly ledger: ApprovalLedger
  readonly maxAgeMs: number
  readonly now: () => number
}

/**
 * Checks the decisions that a request brings, and notes them.
 *
 * @returns the calls that may run, by their ids
 * @throws RequestError 400 for a yes that was not asked for here, 410 for one that comes too late,
 *   409 for a decision that contradicts the one before; nothing is noted then
 */
export function checkApprovals(
  decided: readonly { readonly call: ApprovedCall; readonly approved: boolean }[],
  serverTools: ToolSet,
  { seal, ledger, maxAgeMs, now }: ApprovalRules,
): Map<string, CheckedApproval> {
  const checked: { approval: CheckedApproval; approved: boolean }[] = []
  for (const { call, approved } of decided) {
    const isOurs = call.isProviderExecuted || Object.hasOwn(serverTools, call.toolName)
    if (!isOurs) continue
    const read = seal.read(call, call.signature)
    // A denial may be anybody's: it runs nothing.
    if (!read && approved) throw unasked()
    if (!read) continue
    const isTooOld = now() - read.issuedAt > maxAgeMs
    // What the rules have approved asks nobody for anything.
    if (approved && isTooOld && read.origin === 'person') throw tooLate(call)
    checked.push({ approval: { ...call, ...read, isTooOld }, approved })
  }
  const approvals = new Map<string, CheckedApproval>()
  for (const { approval, approved } of checked) {
    if (ledger.decide(approval.approvalId, approved) !== approved) {
      throw decidedOtherwise(approval, approved)
    }
    if (approved) approvals.set(approval.toolCallId, approval)
  }
  return approvals
}

function unasked(): RequestError {
  return new RequestError(
    400,
    'bad-approval',
    'The approval was refused, and nothing was run: this server did not ask this question about ' +
      'this input in this conversation, or it was restarted since it asked. Ask for it again.',
  )
}

function tooLate({ toolName }: ApprovedCall): RequestError {
  return new RequestError(
    410,
    'approval-expired',
    `The approval of ${toolName} came too late, and nothing was run. Ask for it again.`,
  )
}

function decidedOtherwise({ toolName }: ApprovedCall, approved: boolean): RequestError {
  return new RequestError(
    409,
    'decided-otherwise',
    `${toolName} was ${approved ? 'denied' : 'approved'} before; that decision stands.`,
  )
}
