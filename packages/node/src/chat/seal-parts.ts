import type { Gate } from '@assent/engine'
import type { TextStreamPart, ToolSet } from 'ai'
import type { ApprovalSeal } from './approval-seal.ts'
import { HeldCall } from './step-gate.ts'

type Part = TextStreamPart<ToolSet>
type Calls = Extract<Part, { type: 'tool-call' }>
type Request = Extract<Part, { type: 'tool-approval-request' }>

/** What requests for approval are sealed with. */
export interface SealOptions {
  readonly seal: ApprovalSeal
  readonly gate: Gate
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/**
 * Seals the requests for approval of a stream, and gives the calls that the gate holds the form in
 * which a page sends them back: approved by the rules, and not run yet.
 *
 * What the rules approved and what has run is not sealed: a seal is the right to run a call later.
 */
export function sealParts({ seal, gate, now }: SealOptions): TransformStream<Part, Part> {
  const calls = new Map<string, Calls>()
  /** What is sealed when the step is over: with gate `'step'` each seal names all calls of it. */
  let sealed: Part[] = []
  /** Approvals of the rules, until it is known whether their calls are held. */
  const automatic = new Map<string, Part[]>()

  const sign = (request: Request, others: readonly string[] = []): Request => {
    const { approvalId, toolCall, isAutomatic } = request
    const { toolCallId, toolName, input } = toolCall
    // The provider's own wait for no other, and stay in the conversation.
    const isGated = gate === 'step' && toolCall.providerExecuted !== true
    const step = isGated ? [...calls.keys()] : []
    const sealedCalls = isGated ? others : []
    const call = { approvalId, toolCallId, toolName, input, step, sealed: sealedCalls }
    return { ...request, signature: seal.sign(call, isAutomatic ? 'rule' : 'person', now()) }
  }
  const later = (parts: readonly Part[]): Part[] => {
    sealed.push(...parts)
    return []
  }
  const sealAll = () => {
    const others = sealed.flatMap((part) =>
      part.type === 'tool-approval-request' && part.toolCall.providerExecuted !== true
        ? [part.toolCall.toolCallId]
        : [],
    )
    const parts = sealed.map((part) =>
      part.type === 'tool-approval-request' ? sign(part, others) : part,
    )
    sealed = []
    return parts
  }
  const release = (toolCallId: string): Part[] => {
    const parts = automatic.get(toolCallId) ?? []
    automatic.delete(toolCallId)
    return parts
  }
  const releaseAll = () => [...automatic.keys()].flatMap(release)

  function held(toolCallId: string): Part[] {
    const decided = release(toolCallId)
    const toolCall = calls.get(toolCallId)
    if (decided.length > 0 || !toolCall) return later(decided)
    const approvalId = crypto.randomUUID()
    return later([
      { type: 'tool-approval-request', approvalId, toolCall, isAutomatic: true },
      { type: 'tool-approval-response', approvalId, toolCall, approved: true },
    ])
  }

  function partsFor(part: Part): Part[] {
    switch (part.type) {
      case 'tool-call':
        calls.set(part.toolCallId, part)
        return [part]
      case 'tool-approval-request':
        if (!part.isAutomatic) return gate === 'step' ? later([part]) : [sign(part)]
        automatic.set(part.toolCall.toolCallId, [part])
        return []
      case 'tool-approval-response': {
        const { toolCallId } = part.toolCall
        const isOpen = part.approved && part.providerExecuted !== true
        if (!isOpen) return [...release(toolCallId), part]
        automatic.get(toolCallId)?.push(part)
        return []
      }
      case 'tool-error':
        if (part.error instanceof HeldCall) return held(part.toolCallId)
        return [...release(part.toolCallId), part]
      case 'tool-result':
        return [...release(part.toolCallId), part]
      case 'start-step':
        calls.clear()
        return [part]
      case 'finish-step':
        return [...releaseAll(), ...sealAll(), part]
      default:
        return [part]
    }
  }

  return new TransformStream({
    transform(part, controller) {
      for (const one of partsFor(part)) controller.enqueue(one)
    },
    flush(controller) {
      for (const one of releaseAll()) controller.enqueue(one)
    },
  })
}
