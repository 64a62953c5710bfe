import { getToolName, isToolUIPart, type ToolSet, type UIMessage } from 'ai'
import { RequestError } from './request-error.ts'

type ToolPart = Extract<UIMessage['parts'][number], { toolCallId: string }>

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
      return part.approval.approved && !runsHere(serverTools, getToolName(part))
    case 'output-available':
      return part.preliminary === true
    case 'output-error':
    case 'output-denied':
      return false
  }
}

function runsHere(serverTools: Pick<ToolSet, string>, name: string): boolean {
  return Object.hasOwn(serverTools, name) && serverTools[name]?.execute !== undefined
}

/** The decisions on calls of a step that the request brings. */
export function decidedCalls(
  calls: readonly ToolPart[],
): { readonly call: ApprovedCall; readonly approved: boolean }[] {
  return calls.flatMap((part) => {
    if (part.state !== 'approval-responded') return []
    const { id: approvalId, approved, signature } = part.approval
    const { toolCallId, input, providerExecuted } = part
    const call = {
      toolCallId,
      toolName: getToolName(part),
      input,
      approvalId,
      signature,
      isProviderExecuted: providerExecuted === true,
    }
    return [{ call, approved }]
  })
}

/**
 * A history in which every call has its result: one that was approved and never sent to be run, as
 * the conversation went on with something else, gets one that says so.
 */
export function closeStaleCalls(messages: readonly UIMessage[]): UIMessage[] {
  const current = new Set<UIMessage['parts'][number]>(lastStepCalls(messages))
  const isStale = (part: UIMessage['parts'][number]): part is ToolPart =>
    isToolUIPart(part) &&
    part.state === 'approval-responded' &&
    part.approval.approved &&
    part.providerExecuted !== true &&
    !current.has(part)
  return messages.map((message) =>
    message.parts.some(isStale)
      ? { ...message, parts: message.parts.map((part) => (isStale(part) ? closed(part) : part)) }
      : message,
  )
}

function closed(part: ToolPart): ToolPart {
  const { toolCallId, input, callProviderMetadata } = part
  const ended = {
    toolCallId,
    input,
    ...(callProviderMetadata && { callProviderMetadata }),
    state: 'output-error' as const,
    errorText: 'The conversation went on before this call was run; it did not run.',
  }
  return part.type === 'dynamic-tool'
    ? { ...ended, type: part.type, toolName: part.toolName }
    : { ...ended, type: part.type }
}
