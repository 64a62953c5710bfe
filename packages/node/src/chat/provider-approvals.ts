import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  isToolUIPart,
  type ModelMessage,
  type TextStreamPart,
  type ToolSet,
  type UIMessage,
} from 'ai'
import type { ApprovalLedger, ClaimAnswer, LedgerScope, RunOutcome } from './approval-ledger.ts'
import { keyOfCall, type CheckedApproval } from './check-approvals.ts'
import { approvedCallOf, lastStepCalls, type ToolPart } from './open-calls.ts'
import { OTHER_STORE } from './run-once.ts'
import { sentJson } from './sent-json.ts'

/** What decides which approvals the model's provider gets. */
export interface ProviderApprovals {
  readonly approvals: ReadonlyMap<string, CheckedApproval>
  readonly ledger: ApprovalLedger
  readonly scope: LedgerScope
  readonly runLeaseMs: number
}

/** A conversation as the model's provider may see it, and the calls that it has it run. */
export interface HandedOver {
  readonly messages: UIMessage[]
  readonly calls: readonly HandedCall[]
  /** Why calls that the request approves are not run, by their ids. */
  readonly ended: ReadonlyMap<string, string>
}

/** A call that its provider was told to run, once. */
export interface HandedCall {
  readonly approval: CheckedApproval
  readonly holder: string
}

const NOT_HERE = 'This approval does not hold here, and the call did not run. Call it again.'
const UNKNOWN =
  'The approval was handed over before, and how the call ended is not known: it may have taken effect. It is not run again.'
const HAS_RUN = 'The approval was handed over before, and the call has run. It is not run again.'

/** Why an approval is not handed over. */
const REASONS: Readonly<Record<Exclude<ClaimAnswer['status'], 'claimed'>, string>> = {
  denied: 'The call was denied before; it did not run.',
  expired: 'The approval came too late, and the call did not run. Call it again.',
  running: UNKNOWN,
  unknown: UNKNOWN,
  failed: UNKNOWN,
  done: HAS_RUN,
}

type Answered = Extract<ToolPart, { state: 'approval-responded' }>

/** So many parts are looked at before others have their turn. */
const PARTS_AT_A_TIME = 50

/**
 * Has the provider run what this request approves, each call once, ever: that it was handed over is
 * noted before the provider is called. Every other yes in the conversation, wherever it stands and
 * whoever wrote it, becomes a no with its reason, or is left out when its call has run.
 */
export async function handOver(
  messages: readonly UIMessage[],
  setup: ProviderApprovals,
): Promise<HandedOver> {
  const current = new Set<UIMessage['parts'][number]>(lastStepCalls(messages))
  const calls = new Map<string, HandedCall>()
  const ended = new Map<string, string>()
  let seen = 0

  async function replace(part: ToolPart): Promise<ToolPart | undefined> {
    if (part.state !== 'approval-responded') return withoutApproval(part)
    seen += 1
    if (seen % PARTS_AT_A_TIME === 0) await nextTurn()
    const approval = current.has(part) ? setup.approvals.get(part.toolCallId) : undefined
    // One that stands there twice is one.
    if (approval && calls.has(approval.approvalId)) return undefined
    if (approval?.approvalId !== part.approval.id) return await formerOf(part, setup)
    if (!approval.isOfStore) return notAgain(part, OTHER_STORE)
    if (!approval.mayBegin) {
      const { status } = await setup.ledger.expire(approval.key, approval.issuedAt)
      return notAgain(part, REASONS[status])
    }
    const holder = crypto.randomUUID()
    const { key, issuedAt } = approval
    const runner = { holder, leaseMs: setup.runLeaseMs }
    const answer = await setup.ledger.claim(key, runner, issuedAt)
    if (answer.status !== 'claimed') return notAgain(part, REASONS[answer.status])
    calls.set(approval.approvalId, { approval, holder })
    return part
  }

  const notAgain = (part: Answered, reason: string): ToolPart => {
    ended.set(part.toolCallId, reason)
    return denied(part, reason)
  }

  const shown: UIMessage[] = []
  for (const message of messages) {
    const parts: UIMessage['parts'] = []
    for (const part of message.parts) {
      const given = isProviderYes(part) ? await replace(part) : part
      if (given) parts.push(given)
    }
    shown.push({ ...message, parts })
  }
  return { messages: shown, calls: [...calls.values()], ended }
}

/** A yes that stands where no request brings it any more. */
async function formerOf(
  part: Answered,
  { ledger, scope }: ProviderApprovals,
): Promise<ToolPart | undefined> {
  const known = await ledger.look(keyOfCall(approvedCallOf(part), scope))
  // What it came to stands in the conversation by itself.
  if (known?.status === 'done') return undefined
  return denied(part, known ? REASONS[known.status] : NOT_HERE)
}

function isProviderYes(part: UIMessage['parts'][number]): part is ToolPart {
  return isToolUIPart(part) && part.providerExecuted === true && part.approval?.approved === true
}

/** A call with its outcome: the approval is spent. */
function withoutApproval(part: ToolPart): ToolPart | undefined {
  // In no other state a call has an approval that says yes.
  const hasOutcome = part.state === 'output-available' || part.state === 'output-error'
  return hasOutcome ? { ...part, approval: undefined } : undefined
}

function denied(part: Answered, reason: string): ToolPart {
  return { ...part, approval: { ...part.approval, approved: false, reason } }
}

/**
 * Leaves out the results that the AI SDK makes of denied calls of the provider: it is told of a denial
 * as such, and knows no call that a result could be of.
 */
export function withoutProviderDenials(messages: readonly ModelMessage[]): ModelMessage[] {
  const elsewhere = new Set<string>()
  return messages.flatMap((message): ModelMessage[] => {
    if (message.role === 'assistant' && typeof message.content !== 'string') {
      for (const part of message.content) {
        if (part.type !== 'tool-call') continue
        if (part.providerExecuted) elsewhere.add(part.toolCallId)
        else elsewhere.delete(part.toolCallId)
      }
    }
    if (message.role !== 'tool') return [message]
    const content = message.content.filter(
      (part) => part.type !== 'tool-result' || !elsewhere.has(part.toolCallId),
    )
    return content.length === 0 ? [] : [{ ...message, content }]
  })
}

/** Notes what comes of the calls that were handed over; what nothing comes of is unknown. */
export function watchHandedOver(
  { calls, ended }: Pick<HandedOver, 'calls' | 'ended'>,
  ledger: ApprovalLedger,
  onError: (error: unknown) => void,
): TransformStream<TextStreamPart<ToolSet>, TextStreamPart<ToolSet>> {
  const open = new Set(calls)
  const end = async (call: HandedCall, outcome: RunOutcome) => {
    open.delete(call)
    await ledger.end(call.approval.key, call.holder, outcome).catch(onError)
  }
  return new TransformStream({
    async transform(part, controller) {
      const isOutcome = part.type === 'tool-result' || part.type === 'tool-error'
      if (isOutcome && part.providerExecuted === true) {
        // It runs under an id of its own, or under that of the question.
        const own = [...open].find(({ approval }) => approval.toolCallId === part.toolCallId)
        const call = own ?? [...open].find(({ approval }) => isSameCall(approval, part))
        // Kept in the conversation; here it counts that it has run.
        if (call) await end(call, { status: 'done', output: null })
      }
      const error = part.type === 'tool-output-denied' && ended.get(part.toolCallId)
      if (part.type !== 'tool-output-denied' || !error) return controller.enqueue(part)
      // Nobody has denied it.
      const { toolCallId, toolName } = part
      controller.enqueue({ type: 'tool-error', toolCallId, toolName, input: undefined, error })
    },
    // Of an answer that is cut off before its end the lease runs out, which says the same.
    async flush() {
      for (const call of open) await end(call, { status: 'unknown' })
    },
  })
}

function isSameCall(
  approval: CheckedApproval,
  { toolName, input }: { readonly toolName: string; readonly input: unknown },
): boolean {
  return approval.toolName === toolName && sentJson(approval.input) === sentJson(input)
}
