import type { ConfirmationRecord } from '@assent/engine'
import { encodeName } from '@assent/engine/storage'
import type { AuditDraft, AuditWrite } from './audit-store.ts'
import type { AuditTexts } from './audit-texts.ts'
import { callIdOf, type CallName } from './call-row.ts'

/** What something belongs to. */
export interface AuditContext {
  readonly conversationId?: string | undefined
  readonly taskId?: string | undefined
  /** Whose conversation it is. */
  readonly owner?: string | undefined
  /** Who decided: a name or an address. */
  readonly who?: string | undefined
  /** Who was asked, where others may decide. */
  readonly requester?: string | undefined
}

/** What a decision belongs to. */
export interface DecisionContext extends AuditContext {
  /** What its call was noted as, where that is less than the record names: `auditTools` knows neither message nor step. */
  readonly call?: CallName | undefined
}

/** The entry of a record in the history of confirmations, which is noted once. */
export function decisionWrite(
  record: ConfirmationRecord,
  context: DecisionContext,
  texts: AuditTexts,
): AuditWrite {
  const draft = toDecision(record, context, texts)
  return { decisionId: encodeName(record.id), plan: () => [draft] }
}

function toDecision(
  record: ConfirmationRecord,
  { taskId, who, requester, owner = requester, call: noted = record }: DecisionContext,
  texts: AuditTexts,
): AuditDraft {
  const { id, conversationId, messageId, step, toolCallId, toolName, fingerprint, at } = record
  const call = {
    decisionId: encodeName(id),
    conversationId: encodeName(conversationId),
    taskId: taskId === undefined ? undefined : encodeName(taskId),
    callId: callIdOf(noted),
    messageId: encodeName(messageId),
    step,
    toolCallId: encodeName(toolCallId),
    toolName: encodeName(toolName),
    fingerprint,
    owner: owner === undefined ? undefined : encodeName(owner),
    decidedAt: at,
  }
  if ('event' in record) {
    const { event, policyId } = record
    return { kind: 'policy', payload: { ...call, event, policyId: encodeName(policyId) } }
  }
  const { outcome, reason, scope, editedInput, revokes } = record
  return {
    kind: 'decision',
    payload: {
      ...call,
      outcome,
      who: who === undefined ? undefined : texts.text(who),
      requester: requester === undefined ? undefined : texts.text(requester),
      reason: reason === undefined ? undefined : texts.text(reason, toolName),
      scope: scope === undefined ? undefined : texts.json(scope, toolName),
      editedInput: editedInput === undefined ? undefined : texts.json(editedInput, toolName),
      revokes: revokes === undefined ? undefined : encodeName(revokes),
    },
  }
}
