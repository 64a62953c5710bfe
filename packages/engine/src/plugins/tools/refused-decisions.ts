import type { ToolSet, UIMessage } from 'ai'
import { EngineError } from '../../errors.ts'
import { readRefusedDecisions } from '../../message/refused-decisions.ts'
import { keyOf, refOf, type ToolCallEntry } from '../../message/tool-calls.ts'
import { refusedCall } from '../../message/tool-part-states.ts'
import { assentMetadata, isDecidedRemotely, toolNameOf } from '../../message/tool-part.ts'
import { fingerprintOf } from './fingerprint.ts'
import { openCallOf, type SettleScope } from './open-call.ts'
import { changeCall, openCalls, recordOf } from './turn-calls.ts'

/**
 * Lets the calls wait again whose decisions their server did not take, with why. The history gets a record of
 * each, by which a standing permission that was given so is void. A decision that an earlier request has carried in
 * vain stays as it is, unless the server knows that nothing came of that either.
 */
export function reopenRefusedCalls<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  { context, runtime }: SettleScope<TOOLS, MESSAGE>,
  failure: EngineError,
): void {
  const refusal = readRefusedDecisions(failure.details['refusal'])
  if (!refusal) return
  const { code, message, refused } = refusal
  const isOpen = new Map(refused.map((one) => [one.approvalId, one.isOpen]))
  const underWay = new Set(context.turn?.underWay?.map(keyOf))
  const reopened = openCalls(context).filter((entry) => {
    const { approval } = entry.part
    if (!approval || !isDecidedRemotely(entry.part) || !isOpen.has(approval.id)) return false
    return isOpen.get(approval.id) === true || !underWay.has(keyOf(entry))
  })
  if (reopened.length === 0) return
  for (const entry of reopened) {
    noteRefusal(context, entry)
    openCallOf(runtime, entry).isDecidedHere = false
    changeCall(context, entry, (part) => refusedCall(part, { code, message }))
    context.markUnsent(refOf(entry), false)
  }
  context.reportError(
    new EngineError('decision_refused', message, {
      cause: failure,
      details: { code, toolCalls: reopened.map(refOf) },
    }),
  )
}

/** What a person decided was not taken; what a policy did is no decision of its own. */
function noteRefusal<MESSAGE extends UIMessage>(
  context: SettleScope<ToolSet, MESSAGE>['context'],
  { part, ...ref }: ToolCallEntry,
): void {
  const { confirmationId: policyId, decidedBy } = assentMetadata(part)
  if (policyId === undefined || decidedBy !== 'person') return
  const toolName = toolNameOf(part)
  const call = { ...ref, toolName, fingerprint: fingerprintOf(toolName, part.input) }
  context.appendConfirmations([{ ...recordOf(context, call), policyId, event: 'refused' }])
}
