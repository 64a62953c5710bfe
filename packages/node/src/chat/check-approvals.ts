import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { isToolUIPart, type ToolSet, type UIMessage } from 'ai'
import type { ApprovalLedger, LedgerKey, LedgerScope } from './approval-ledger.ts'
import { sealedAt, type ApprovalSeal, type ReadSeal } from './approval-seal.ts'
import { decisionRefusalText, type DecisionRefusal } from './may-decide.ts'
import { sentJson } from './sent-json.ts'
import { runsHere, type ApprovedCall, type DecidedCall } from './open-calls.ts'
import { RequestError } from './request-error.ts'

/** A yes that holds. */
export interface CheckedApproval extends ApprovedCall, ReadSeal {
  readonly key: LedgerKey
  /**
   * Whether its call may still begin: not when it came too late, was held by the gate for too long, or was asked
   * about with another store, nor for a request that denies the call. Then it only has what became of it.
   */
  readonly mayBegin: boolean
}

/** What decisions are checked against. Times are milliseconds. */
export interface ApprovalRules {
  readonly seal: ApprovalSeal
  /** The calls that their step had, by their ids, where it matters. */
  readonly step: readonly string[]
  /** Those of them that have a seal. */
  readonly sealed: readonly string[]
  readonly ledger: ApprovalLedger
  /** The user, and the conversation. */
  readonly scope: LedgerScope
  readonly maxAgeMs: number
  /** Since when the secret that signs is there, where it is none that the app keeps. */
  readonly secretSince: number | undefined
  readonly now: () => number
  /**
   * Why the user may not decide so, if so. Without it the user decides what that user was asked, and
   * nothing else.
   */
  readonly refusalOf: ((asked: DecisionOf) => Promise<DecisionRefusal | undefined>) | undefined
  /** Told of each decision of a person that stands, before anything runs for it. */
  readonly onDecided?: ((approval: CheckedApproval, approved: boolean) => Promise<void>) | undefined
}

/** A decision that a request brings, and who was asked. */
export interface DecisionOf extends Pick<DecidedCall, 'call' | 'approved'> {
  readonly requester: string
}

/** What holds of the decisions that a request brings. */
export interface CheckedDecisions {
  /** The approved calls, by their ids. */
  readonly approvals: ReadonlyMap<string, CheckedApproval>
  /** What was decided before, by approval, where the request says otherwise: that stands. */
  readonly overruled: ReadonlyMap<string, boolean>
}

/**
 * Checks the decisions that a request brings, and notes them. A call that was decided before stays
 * decided so, and the page is told what came of it; a no after a yes still keeps a call that nobody
 * has begun from being run.
 *
 * @throws RequestError 413 for more decisions than are taken at once; 400 for a yes that was not asked for here, or
 *   whose tool is gone, and 403 for a decision that is not the user's, and nothing is noted then; 409 for a decision that
 *   contradicts the one before, on a call that the provider runs
 */
export async function checkApprovals(
  decided: readonly DecidedCall[],
  serverTools: ToolSet,
  rules: ApprovalRules,
): Promise<CheckedDecisions> {
  const { seal, ledger, scope, maxAgeMs, now, refusalOf } = rules
  if (decided.length > MAX_DECISIONS) {
    const message = `At most ${MAX_DECISIONS} calls of a step can be decided at once.`
    throw new RequestError(413, 'too-large', message)
  }
  const checked: DecidedAndRead[] = []
  const unread: ApprovedCall[] = []
  const claims: ApprovedCall[] = []
  const gone: CheckedApproval[] = []
  for (const [index, { call, approved, isSettled }] of decided.entries()) {
    // Others have their turn between these.
    if (index % 50 === 49) await nextTurn()
    const isOurs = call.isProviderExecuted || Object.hasOwn(serverTools, call.toolName)
    // A page's own tool has no seal; of another one it says that the tool was here.
    const isGone =
      approved && !isSettled && !call.isProviderExecuted && !runsHere(serverTools, call.toolName)
    if (!isOurs && !isGone) continue
    if (isSettled && approved) {
      claims.push(call)
      continue
    }
    const read = readSeal(seal, call, rules)
    // Where a user decides what that user was asked, a denial may be anybody's: it runs nothing. A rule denies
    // without a seal, and what else has none is told by the other seals of its step.
    const isRuled = isSettled && call.signature === undefined
    if (!read && (approved || (refusalOf && !isRuled))) unread.push(call)
    if (!read) continue
    const mayBegin = approved && read.isOfStore && now() - read.issuedAt <= maxAgeMs
    const key = keyOfCall(call, { ...scope, owner: read.requester })
    const approval = { ...call, ...read, key, mayBegin }
    if (isGone) gone.push(approval)
    else checked.push({ approval, approved })
  }
  if (refusalOf && checked.some(({ approval }) => approval.mayBegin)) {
    unread.push(...(await unnotedOf(claims, rules)))
  }
  assertAsked(unread, rules.secretSince)
  await assertDeciders(checked, rules)
  await assertThere(gone, rules)
  const approvals = new Map<string, CheckedApproval>()
  const overruled = new Map<string, boolean>()
  for (const { approval, approved } of checked) {
    const { key, toolCallId, approvalId, mayBegin } = approval
    // One that came too late is not noted as a decision: its call has run by now, or never will.
    const isVoid = approved && !mayBegin
    const standing =
      isVoid || (await ledger.decide(key, approved, approval.issuedAt, scope.owner || undefined))
    if (!isVoid && standing === approved && approval.origin === 'person') {
      await rules.onDecided?.(approval, approved)
    }
    if (standing !== approved && approval.isProviderExecuted) {
      throw decidedOtherwise(approval, approved)
    }
    if (standing) approvals.set(toolCallId, approval)
    if (standing !== approved) overruled.set(approvalId, standing)
  }
  return { approvals, overruled }
}

/** More, answered in one go, would keep others waiting. */
const MAX_DECISIONS = 500

function readSeal(
  seal: ApprovalSeal,
  call: ApprovedCall,
  { step, sealed }: Pick<ApprovalRules, 'step' | 'sealed'>,
): ReadSeal | undefined {
  const ofStep = call.isProviderExecuted ? { step: [], sealed: [] } : { step, sealed }
  return seal.read({ ...call, ...ofStep }, call.signature)
}

/** Calls that are said to have been decided and run, of which the ledger knows nothing: others would run for that. */
async function unnotedOf(
  claims: readonly ApprovedCall[],
  rules: ApprovalRules,
): Promise<ApprovedCall[]> {
  const { seal, ledger, scope } = rules
  const unnoted: ApprovedCall[] = []
  for (const call of claims) {
    const read = readSeal(seal, call, rules)
    const key = read?.isOfStore && keyOfCall(call, { ...scope, owner: read.requester })
    const noted = key && ((await ledger.decision(key)) ?? (await ledger.look(key)))
    if (!noted) unnoted.push(call)
  }
  return unnoted
}

/** The conversation as it was decided. */
export function withStanding(
  messages: readonly UIMessage[],
  overruled: CheckedDecisions['overruled'],
): UIMessage[] {
  const correct = (part: UIMessage['parts'][number]) => {
    if (!isToolUIPart(part)) return part
    if (part.state !== 'approval-responded' && part.state !== 'output-denied') return part
    const { reason: _reason, ...approval } = part.approval
    const approved = overruled.get(approval.id)
    if (approved === undefined) return part
    return { ...part, state: 'approval-responded' as const, approval: { ...approval, approved } }
  }
  return messages.map((message, index) =>
    overruled.size > 0 && index === messages.length - 1
      ? { ...message, parts: message.parts.map(correct) }
      : message,
  )
}

/** A decision, with what the seal of its question says. */
interface DecidedAndRead {
  readonly approval: CheckedApproval
  readonly approved: boolean
}

/** Throws unless the user may decide all of these so, or only brings what somebody has decided who may. */
async function assertDeciders(
  checked: readonly DecidedAndRead[],
  rules: ApprovalRules,
): Promise<void> {
  const answers = await Promise.all(checked.map((one) => whyNotDecider(one, rules)))
  const [first] = answers.filter((one) => one !== undefined)
  if (!first) return
  const refused = checked.flatMap(({ approval: { approvalId } }, index) => {
    const answer = answers[index]
    return answer ? [{ approvalId, isOpen: answer.isOpen }] : []
  })
  throw new RequestError(403, 'may-not-decide', first.text, {}, { refused })
}

/** Why the user may not decide so, and whether the call is known to wait. */
async function whyNotDecider(
  { approval, approved }: DecidedAndRead,
  { ledger, scope, refusalOf }: ApprovalRules,
): Promise<{ readonly text: string; readonly isOpen: boolean } | undefined> {
  const { key, origin, requester, toolName } = approval
  const isOwn = requester === scope.owner
  // A rule has said yes, and nobody decides.
  if (!refusalOf || (isOwn && origin === 'rule' && approved)) return undefined
  const standing = await ledger.decision(key)
  const mayBring = isOwn || standing?.by === scope.owner
  if (mayBring && standing?.approved === approved) return undefined
  const refusal = await refusalOf({ call: approval, approved, requester })
  if (!refusal) return undefined
  const isOpen = standing === undefined && (await isUnbegun(approval, { ledger, scope }))
  return { text: decisionRefusalText(refusal, toolName), isOpen }
}

/** What another store has noted is not known here, and what others have decided is not told to everybody. */
async function isUnbegun(
  { key, requester, isOfStore }: CheckedApproval,
  { ledger, scope }: Pick<ApprovalRules, 'ledger' | 'scope'>,
): Promise<boolean> {
  return requester === scope.owner && isOfStore && (await ledger.look(key)) === undefined
}

/** Throws for a yes to a call whose tool is not here any more: it waits on, and a no still ends it. */
async function assertThere(gone: readonly CheckedApproval[], rules: ApprovalRules): Promise<void> {
  const [first] = gone
  if (!first) return
  const refused = await Promise.all(
    gone.map(async (approval) => ({
      approvalId: approval.approvalId,
      isOpen: await isUnbegun(approval, rules),
    })),
  )
  throw new RequestError(
    400,
    'unknown-tool',
    `Nothing was run: this server has no tool ${first.toolName} any more. Deny the call, or approve it again once the tool is back.`,
    {},
    { refused },
  )
}

/** Throws for a yes to what was not asked here. */
function assertAsked(unread: readonly ApprovedCall[], secretSince: number | undefined): void {
  const [first] = unread
  if (!first) return
  const { toolName, signature } = first
  const askedAt = sealedAt(signature)
  const cause =
    askedAt === undefined
      ? `the approval of ${toolName} has no signature of this server`
      : secretSince !== undefined && askedAt < secretSince
        ? 'the server was restarted since it asked, and keeps no "approvalSecret"'
        : `${toolName} is not the call that this server asked about, with the same input, step and conversation, or was not decided here`
  throw new RequestError(
    400,
    'bad-approval',
    `Nothing was run: ${cause}. Ask the assistant again to get a new request.`,
    {},
    { refused: unread.map(({ approvalId }) => ({ approvalId, isOpen: false })) },
  )
}

/** What the ledger knows a call by. */
export function keyOfCall(call: ApprovedCall, scope: ApprovalRules['scope']): LedgerKey {
  return { ...scope, approvalId: call.approvalId, fingerprint: fingerprintOf(call) }
}

/** Names a call: its id, its tool and its input. */
export function fingerprintOf({
  toolCallId,
  toolName,
  input,
}: Pick<ApprovedCall, 'toolCallId' | 'toolName' | 'input'>): string {
  const call = sentJson([toolCallId, toolName, input])
  return createHash('sha256').update(call).digest('base64url')
}

function decidedOtherwise({ toolName, approvalId }: ApprovedCall, approved: boolean): RequestError {
  return new RequestError(
    409,
    'decided-otherwise',
    `${toolName} was ${approved ? 'denied' : 'approved'} before; that decision stands.`,
    {},
    // What was denied has not run; of what was approved nobody knows that here.
    { refused: approved ? [{ approvalId, isOpen: false }] : [] },
  )
}
