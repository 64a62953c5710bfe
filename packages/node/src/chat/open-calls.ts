import { getToolName, isToolUIPart, type ToolSet, type UIMessage } from 'ai'
import { RequestError } from './request-error.ts'

/** A tool call of a message. */
export type ToolPart = Extract<UIMessage['parts'][number], { toolCallId: string }>

/** A call that this request is to run: a person, or a rule, has said yes. */
export interface ApprovedCall {
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
  readonly approvalId: string
  readonly signature: string | undefined
  readonly isProviderExecuted: boolean
}

/** The tool calls of the step that a request answers: of the last one, if it ends the conversation. */
export function lastStepCalls(messages: readonly UIMessage[]): ToolPart[] {
  const last = messages.at(-1)
  if (last?.role !== 'assistant') return []
  const step = last.parts.findLastIndex(({ type }) => type === 'step-start')
  return last.parts.slice(step + 1).filter(isToolUIPart)
}

/**
 * Refuses a step of which a call is open: with one approved and another one open, the AI SDK would
 * run the first and then fail on the second.
 *
 * @param serverTools the names of the tools that run here; what is approved of others has no result
 */
export function requireAnswered(
  calls: readonly ToolPart[],
  serverTools: Pick<ToolSet, string>,
): void {
  for (const part of calls) {
    if (part.providerExecuted === true || !isOpen(part, serverTools)) continue
    throw new RequestError(
      400,
      'open-call',
      `The call ${part.toolCallId} has neither a result nor an answered approval. Settle every call of the step before you send it.`,
    )
  }
}

function isOpen(part: ToolPart, serverTools: Pick<ToolSet, string>): boolean {
  switch (part.state) {
    case 'input-streaming':
    case 'input-available':
    case 'approval-requested':
      return true
    case 'approval-responded':
      // What has a seal was asked here: its tool is gone since.
      return (
        part.approval.approved &&
        part.approval.signature === undefined &&
        !runsHere(serverTools, getToolName(part))
      )
    case 'output-available':
      return part.preliminary === true
    case 'output-error':
    case 'output-denied':
      return false
  }
}

/** Whether a tool of this name runs on the server; one that objects inherit is none. */
export function runsHere(serverTools: Pick<ToolSet, string>, name: string): boolean {
  return Object.hasOwn(serverTools, name) && serverTools[name]?.execute !== undefined
}

/** What a request says of a call that was asked about. */
export interface DecidedCall {
  readonly call: ApprovedCall
  readonly approved: boolean
  /** The page has it as over: denied, or with what came of a yes. */
  readonly isSettled: boolean
}

/** The decisions on calls of a step that the request brings, or says to have been made before. */
export function decidedCalls(calls: readonly ToolPart[]): DecidedCall[] {
  return calls.flatMap((part): DecidedCall[] => {
    switch (part.state) {
      case 'approval-responded':
        return [{ call: approvedCallOf(part), approved: part.approval.approved, isSettled: false }]
      case 'output-denied':
        return [{ call: approvedCallOf(part), approved: false, isSettled: true }]
      case 'output-available':
      case 'output-error': {
        const { approval } = part
        // What nobody was asked about has no signature, and what the provider runs waits for no other call.
        if (approval?.signature === undefined || part.providerExecuted === true) return []
        return [{ call: askedCallOf(part, approval), approved: true, isSettled: true }]
      }
      default:
        return []
    }
  })
}

/** The calls of a step that have a seal, if any has: the provider's wait for no other. */
export function sealedCalls(calls: readonly ToolPart[]): string[] {
  const isSealed = ({ approval, providerExecuted }: ToolPart) =>
    approval?.signature !== undefined && providerExecuted !== true
  return calls.filter(isSealed).map(({ toolCallId }) => toolCallId)
}

/** A decided call, as its question was sealed. */
export function approvedCallOf(
  part: Extract<ToolPart, { state: 'approval-responded' | 'output-denied' }>,
): ApprovedCall {
  return askedCallOf(part, part.approval)
}

function askedCallOf(
  part: ToolPart,
  { id: approvalId, signature }: NonNullable<ToolPart['approval']>,
): ApprovedCall {
  const { toolCallId, input, providerExecuted } = part
  return {
    toolCallId,
    toolName: getToolName(part),
    input,
    approvalId,
    signature,
    isProviderExecuted: providerExecuted === true,
  }
}

/**
 * A history in which every call has its result, as models accept no other: a call that was left open,
 * as the conversation went on with something else, gets one that says so.
 */
export function closeStaleCalls(messages: readonly UIMessage[]): UIMessage[] {
  const current = new Set<UIMessage['parts'][number]>(lastStepCalls(messages))
  const close = (part: UIMessage['parts'][number]) => {
    if (!isToolUIPart(part) || part.providerExecuted === true || current.has(part)) return part
    const why = staleText(part)
    return why === undefined ? part : closed(part, why)
  }
  return messages.map((message) => {
    const parts = message.parts.map(close)
    const isSame = parts.every((part, index) => part === message.parts[index])
    return isSame ? message : { ...message, parts }
  })
}

/** What is known of a call without a result; `undefined` for one that has one, or needs none. */
function staleText(part: ToolPart): string | undefined {
  switch (part.state) {
    case 'approval-requested':
      return 'The conversation went on before this call was decided; it did not run.'
    case 'input-available':
      return UNKNOWN
    case 'approval-responded':
      return part.approval.approved ? UNKNOWN : undefined
    case 'output-available':
      return part.preliminary === true
        ? 'The conversation went on while this call ran; it may have taken effect.'
        : undefined
    // The AI SDK leaves out what has no input yet.
    case 'input-streaming':
    case 'output-error':
    case 'output-denied':
      return undefined
  }
}

const UNKNOWN =
  'The conversation went on before the result of this call came; whether it ran is not known.'

function closed(part: ToolPart, errorText: string): ToolPart {
  const { toolCallId, input, callProviderMetadata } = part
  const ended = {
    toolCallId,
    input,
    ...(callProviderMetadata && { callProviderMetadata }),
    state: 'output-error' as const,
    errorText,
  }
  return part.type === 'dynamic-tool'
    ? { ...ended, type: part.type, toolName: part.toolName }
    : { ...ended, type: part.type }
}
