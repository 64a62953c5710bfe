import { createHash } from 'node:crypto'
import type { ToolSet } from 'ai'
import type { ApprovalLedger, LedgerKey } from './approval-ledger.ts'
import type { ApprovalSeal, ReadSeal } from './approval-seal.ts'
import { sentJson } from './sent-json.ts'
import type { ApprovedCall } from './open-calls.ts'
import { RequestError } from './request-error.ts'

/** A yes that holds. */
export interface CheckedApproval extends ApprovedCall, ReadSeal {
  readonly key: LedgerKey
  /** It came so late, or was held by the gate for so long, that its call is not to begin any more. */
  readonly isTooOld: boolean
}

/** What decisions are checked against. Times are milliseconds. */
export interface ApprovalRules {
  readonly seal: ApprovalSeal
  readonly ledger: ApprovalLedger
  /** The user, and the conversation. */
  readonly scope: Pick<LedgerKey, 'owner' | 'conversationId'>
  readonly maxAgeMs: number
  readonly now: () => number
}

/**
 * Checks the decisions that a request brings, and notes them.
 *
 * @returns the approved calls, by their ids
 * @throws RequestError 400 for a yes that was not asked for here, and nothing is noted then; 409 for a
 *   decision that contradicts the one before
 */
export async function checkApprovals(
  decided: readonly { readonly call: ApprovedCall; readonly approved: boolean }[],
  serverTools: ToolSet,
  { seal, ledger, scope, maxAgeMs, now }: ApprovalRules,
): Promise<Map<string, CheckedApproval>> {
  const checked: { approval: CheckedApproval; approved: boolean }[] = []
  for (const { call, approved } of decided) {
    const isOurs = call.isProviderExecuted || Object.hasOwn(serverTools, call.toolName)
    if (!isOurs) continue
    const read = seal.read(call, call.signature)
    // A denial may be anybody's: it runs nothing.
    if (!read && approved) throw unasked()
    if (!read) continue
    const isTooOld = now() - read.issuedAt > maxAgeMs
    const key = { ...scope, approvalId: call.approvalId, fingerprint: fingerprintOf(call) }
    checked.push({ approval: { ...call, ...read, key, isTooOld }, approved })
  }
  const approvals = new Map<string, CheckedApproval>()
  for (const { approval, approved } of checked) {
    // One that came too late is not noted as a decision: its call has run by now, or never will.
    const isLate = approved && approval.isTooOld
    if (!isLate && (await ledger.decide(approval.key, approved)) !== approved) {
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

function fingerprintOf({ toolCallId, toolName, input }: ApprovedCall): string {
  const call = sentJson([toolCallId, toolName, input])
  return createHash('sha256').update(call).digest('base64url')
}

function decidedOtherwise({ toolName }: ApprovedCall, approved: boolean): RequestError {
  return new RequestError(
    409,
    'decided-otherwise',
    `${toolName} was ${approved ? 'denied' : 'approved'} before; that decision stands.`,
  )
}
