import {
  assentMetadata,
  isElsewhere,
  isToolCallPart,
  toolCallStatus,
  toolNameOf,
  type ToolCallPart,
  type ToolCallRef,
} from '@assent/engine'
import type { UIMessage } from 'ai'
import type { CallOutcome, CallPhase } from './call-row.ts'
import type { CallChange } from './record-call.ts'

/** A tool call of a message. */
export interface EngineCall extends ToolCallRef {
  readonly part: ToolCallPart
}

/** The tool calls of a message, in call order. */
export function callsOf({ id, parts }: UIMessage): EngineCall[] {
  const calls: EngineCall[] = []
  let step = 0
  for (const part of parts) {
    if (part.type === 'step-start') step++
    else if (isToolCallPart(part)) {
      calls.push({ messageId: id, step, toolCallId: part.toolCallId, part })
    }
  }
  return calls
}

/** How far a call of an engine has come; `undefined` while its input still streams. */
export function changeOf(
  { part, ...ref }: EngineCall,
  context: Pick<CallChange, 'conversationId' | 'taskId' | 'owner'>,
): CallChange | undefined {
  const stands = standOf(part)
  if (!stands) return undefined
  const { startedAt, decidedBy, mayHaveRun } = assentMetadata(part)
  return {
    ...context,
    ...ref,
    ...stands,
    toolName: toolNameOf(part),
    input: part.input,
    output: part.state === 'output-available' && isOver(stands) ? part.output : undefined,
    error: errorOf(part),
    isElsewhere: isElsewhere(part),
    startedAt: stands.phase === 'queued' ? undefined : startedAt,
    decidedBy,
    mayHaveRun,
  }
}

/** Whether nothing more is to come of a call. */
export function isOver({ phase }: { readonly phase: CallPhase }): boolean {
  return phase === 'done' || phase === 'failed'
}

function standOf(part: ToolCallPart): { phase: CallPhase; outcome?: CallOutcome } | undefined {
  const status = toolCallStatus(part)
  switch (status) {
    case 'preparing':
      return undefined
    case 'validating':
    case 'awaiting-approval':
    case 'awaiting-output':
    case 'scheduled':
      return { phase: 'queued' }
    case 'executing':
      return { phase: 'running' }
    case 'success':
      return assentMetadata(part).failure === undefined
        ? { phase: 'done', outcome: 'success' }
        : { phase: 'failed', outcome: 'error' }
    case 'error':
      return {
        phase: 'failed',
        outcome: assentMetadata(part).ended === 'timeout' ? 'timeout' : 'error',
      }
    case 'denied':
    case 'cancelled':
    case 'interrupted':
      return { phase: 'failed', outcome: status }
  }
}

function errorOf(part: ToolCallPart): string | undefined {
  if (part.state === 'output-available') return assentMetadata(part).failure
  return part.state === 'output-error' ? part.errorText : part.approval?.reason
}
