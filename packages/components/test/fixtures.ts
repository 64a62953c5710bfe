import type { AssentCallMetadata, ToolCallPart } from '@assent/engine'
import type { DynamicToolUIPart, UIMessage } from 'ai'

type Part = UIMessage['parts'][number]
/** The fields of a call that its state brings with it. */
type CallState = DynamicToolUIPart extends infer PART
  ? PART extends DynamicToolUIPart
    ? Omit<PART, 'type' | 'toolName' | 'toolCallId' | 'toolMetadata'>
    : never
  : never

/** Two minutes past two in the afternoon, wherever the tests run. */
export const AT = new Date(2026, 4, 12, 14, 2).getTime()

/** A user message of one text. */
export function user(id: string, text: string): UIMessage {
  return { id, role: 'user', parts: [{ type: 'text', text }] }
}

/** An assistant message of these parts. */
export function assistant(id: string, ...parts: Part[]): UIMessage {
  return { id, role: 'assistant', parts: [{ type: 'step-start' }, ...parts] }
}

/** A text part. */
export function text(value: string, state: 'streaming' | 'done' = 'done'): Part {
  return { type: 'text', text: value, state }
}

/** A tool call in any state. */
export function call(
  toolName: string,
  toolCallId: string,
  state: CallState,
  assent: AssentCallMetadata = {},
): ToolCallPart {
  return {
    type: `tool-${toolName}`,
    toolCallId,
    toolMetadata: { assent: JSON.parse(JSON.stringify(assent)) },
    ...state,
  } as ToolCallPart
}

/** A call that runs here and awaits approval. */
export function ask(
  toolName: string,
  toolCallId: string,
  input: unknown,
  assent: AssentCallMetadata = {},
  requestReason?: string,
): ToolCallPart {
  const approval = { id: `assent-${toolCallId}`, ...(requestReason ? { requestReason } : {}) }
  return call(toolName, toolCallId, { state: 'approval-requested', input, approval }, assent)
}

/** The same call, asked for by a server that executes it, with what that says about it. */
export function elsewhere(part: ToolCallPart, descriptor?: object): ToolCallPart {
  if (part.state !== 'approval-requested') throw new Error('The call does not ask.')
  const approval = { ...part.approval, id: 'server-1', ...(descriptor ? { descriptor } : {}) }
  return { ...part, approval } as ToolCallPart
}

/** A call that nobody executes and that waits for its output. */
export function question(toolName: string, toolCallId: string, input: unknown): ToolCallPart {
  return call(
    toolName,
    toolCallId,
    { state: 'input-available', input },
    {
      awaitsOutput: true,
      scheduledAt: AT,
    },
  )
}

/** The same call after a decision. */
export function decided(part: ToolCallPart, approved: boolean, reason?: string): ToolCallPart {
  if (part.state !== 'approval-requested') throw new Error('The call does not ask.')
  const approval = { ...part.approval, approved, ...(reason ? { reason } : {}) }
  return withMetadata({ ...part, state: 'approval-responded', approval } as ToolCallPart, {
    decidedBy: 'person',
    decidedAt: AT,
  })
}

/** The same call, denied for good. */
export function denied(part: ToolCallPart, reason?: string): ToolCallPart {
  return { ...decided(part, false, reason), state: 'output-denied' } as ToolCallPart
}

/** The same call while it runs. */
export function executing(part: ToolCallPart, startedAt = AT): ToolCallPart {
  return withMetadata(part, { startedAt })
}

/** The same call with its output. */
export function succeeded(part: ToolCallPart, output: unknown, milliseconds = 80): ToolCallPart {
  return withMetadata({ ...part, state: 'output-available', output } as ToolCallPart, {
    startedAt: AT,
    endedAt: AT + milliseconds,
  })
}

/** The same call with more in its `toolMetadata.assent`. */
export function withMetadata(part: ToolCallPart, assent: AssentCallMetadata): ToolCallPart {
  const former = part.toolMetadata?.['assent']
  const merged = { ...(typeof former === 'object' ? former : {}), ...assent }
  return { ...part, toolMetadata: { ...part.toolMetadata, assent: merged } } as ToolCallPart
}
