import {
  deriveApprovalPolicies,
  EngineError,
  fingerprintOfCall,
  toolNameOf,
  type ToolApprovalPolicy,
  type ToolCallConfirmation,
} from '@assent/engine'
import { namespaceOf } from '@assent/engine/storage'
import {
  decisionRefusal,
  decisionRefusalText,
  type DecisionAsked,
  type MayDecide,
} from '../chat/may-decide.ts'
import {
  decisionsOn,
  grantKey,
  policyGrantKey,
  requesterOf,
  storedConfirmations,
  writeGrants,
  type Conversation,
  type Grant,
  type NoteStorage,
} from './decision-notes.ts'
import { decidedBy, type DecidedCall, type DecidedPolicies } from './decisions-said.ts'
import { isMeant, storedCalls, type FoundCall } from './find-calls.ts'

/** Options of {@link createAdmission}. */
export interface AdmissionOptions {
  readonly storage: NoteStorage
  readonly mayDecide: MayDecide<string>
  readonly timeoutMs: number
  readonly onError: (error: unknown) => void
}

/** Asks who may decide, and notes what was allowed. Both throw `may_not_decide`. */
export interface Admission {
  /** Whatever a page asks for that decides. */
  admit(user: string, conversation: Conversation, request: unknown): Promise<void>
  admitPolicies(user: string, conversation: Conversation, decided: DecidedPolicies): Promise<void>
}

export function createAdmission({
  storage,
  mayDecide,
  timeoutMs,
  onError,
}: AdmissionOptions): Admission {
  async function ask(asked: DecisionAsked<string>): Promise<void> {
    const refusal = await decisionRefusal(() => mayDecide(asked), { timeoutMs, onError })
    const { toolName } = asked.call
    if (refusal) throw new EngineError('may_not_decide', decisionRefusalText(refusal, toolName))
  }

  async function admitCalls(
    user: string,
    conversation: Conversation,
    decided: readonly DecidedCall[],
  ): Promise<void> {
    const { id, owner } = conversation
    const namespace = namespaceOf(id, owner)
    const stored = await storedCalls(storage, namespace)
    const records = await storedConfirmations(storage, conversation)
    const grants = new Map<string, Grant>()
    for (const { outcome, scope, withoutRecord, ...decision } of decided) {
      for (const call of stored.filter((one) => isMeant(decision, one))) {
        const { part, ref } = call
        // What is over is answered by nobody.
        if (outcome === 'output' && isOver(call)) continue
        const input = decision.input ?? part.input
        const requester = await requesterOf(storage, namespace, ref)
        await ask({
          user,
          requester,
          chatId: id,
          call: { toolCallId: ref.toolCallId, toolName: toolNameOf(part), input },
          approved: outcome !== 'no',
        })
        grants.set(grantKey(ref, outcome), {
          who: user,
          requester,
          fingerprint: fingerprintOfCall({ ...part, input }),
          scope,
          withoutRecord,
          seen: decisionsOn(records, ref),
        })
      }
    }
    await writeGrants(storage, conversation, grants)
  }

  async function admitPolicies(
    user: string,
    conversation: Conversation,
    { policyId, event }: DecidedPolicies,
  ): Promise<void> {
    const { id, owner } = conversation
    const records = await storedConfirmations(storage, conversation)
    const policies = deriveApprovalPolicies(records, { now: Date.now(), conversationId: id })
    const meant = policies.filter((policy) => (policyId ?? policy.id) === policy.id)
    if (event === 'revoked' && meant.length === 0) throw notChecked()
    const grants = new Map<string, Grant>()
    for (const policy of meant) {
      const keys = policyKeys(policy, event)
      if (keys.length === 0) continue
      const requester = await askAbout(policy.confirmation)
      for (const key of keys) grants.set(key, { who: user, requester })
    }
    await writeGrants(storage, conversation, grants)

    /** About the call that the permission was given on, which may be one of another conversation. */
    async function askAbout(given: ToolCallConfirmation): Promise<string> {
      const namespace = namespaceOf(given.conversationId, owner)
      const calls = await storedCalls(storage, namespace)
      const found = calls.find((call) => isMeant(given, call))
      const requester = await requesterOf(storage, namespace, found?.ref)
      const { toolCallId, toolName, conversationId: chatId } = given
      const input = given.editedInput ?? found?.part.input
      const approved = event === 'resumed'
      await ask({ user, requester, chatId, call: { toolCallId, toolName, input }, approved })
      return requester
    }
  }

  return {
    async admit(user, conversation, request) {
      const decided = decidedBy(request)
      if (!decided) throw notChecked()
      if ('calls' in decided) await admitCalls(user, conversation, decided.calls)
      else await admitPolicies(user, conversation, decided.policies)
    },
    admitPolicies,
  }
}

/** What was decided about in a way that nobody understands, or where it cannot be found. */
export function notChecked(): EngineError {
  return new EngineError(
    'may_not_decide',
    'This decision cannot be checked here. Nothing was run, and what waits still does.',
  )
}

function policyKeys({ id, suspensions }: ToolApprovalPolicy, event: DecidedPolicies['event']) {
  if (event === 'revoked') return [policyGrantKey(event, id)]
  return suspensions.map((suspension) => policyGrantKey(event, id, suspension))
}

function isOver({ part }: FoundCall): boolean {
  return part.state.startsWith('output-')
}
