import type { ToolSet, UIMessage } from 'ai'
import { EngineError } from '../../errors.ts'
import { given } from '../../message/given.ts'
import { refOf, toolCallsOf, type ToolCallEntry } from '../../message/tool-calls.ts'
import { answeredCall, changeMetadata } from '../../message/tool-part-states.ts'
import {
  isElsewhere,
  isRecord,
  isSettled,
  toolNameOf,
  type ToolCallRef,
} from '../../message/tool-part.ts'
import type { CommandContext } from '../../plugin.ts'
import type { ResumeToolCallPayload, ToolPluginOptions } from './options.ts'
import { awaitingCalls, changeCall, isAnyToDo } from './turn-calls.ts'

type Gate = Pick<ToolPluginOptions<ToolSet>, 'gate'>

/**
 * Decides a call that awaits approval, wherever it is executed. Checked and written in one go, so
 * that the first of two decisions wins.
 */
export function resumeToolCall<MESSAGE extends UIMessage>(
  payload: unknown,
  context: CommandContext<MESSAGE>,
  options: Gate,
): ToolCallRef {
  if (!isPayload(payload)) {
    throw new EngineError(
      'invalid_argument',
      "resumeToolCall takes a toolCallId, an outcome of 'yes' or 'no', a reason and a messageId: texts.",
    )
  }
  const { outcome = 'yes', reason } = payload
  const approved = outcome === 'yes'
  const entry = findAwaiting(context, payload, approved)
  const ref = refOf(entry)
  const at = context.now()
  changeCall(context, entry, (part) =>
    changeMetadata(answeredCall(part, { approved, reason }), {
      decidedAt: at,
      decidedBy: 'person',
    }),
  )
  context.appendConfirmation({
    ...ref,
    id: context.generateId(),
    toolName: toolNameOf(entry.part),
    outcome,
    ...given({ reason }),
    at,
  })
  const isRunHere = approved && !isElsewhere(entry.part)
  // A call that runs here is marked when it has its result.
  if (!isRunHere) context.markUnsent(ref)
  // The turn goes on when the decision opened the gate of something.
  if ((options.gate === 'call' && isRunHere) || awaitingCalls(context).length === 0) {
    context.advance(isAnyToDo(context) ? 'calling-tools' : 'requesting')
  }
  return ref
}

/** Denies everything that waits, with the person's own words as the reason. */
export function denyAll<MESSAGE extends UIMessage>(
  reason: string,
  context: CommandContext<MESSAGE>,
  options: Gate,
): boolean {
  const waiting = awaitingCalls(context)
  for (const { messageId, toolCallId } of waiting) {
    resumeToolCall({ messageId, toolCallId, outcome: 'no', reason }, context, options)
  }
  return waiting.length > 0
}

function findAwaiting<MESSAGE extends UIMessage>(
  context: CommandContext<MESSAGE>,
  { toolCallId, messageId }: ResumeToolCallPayload,
  approved: boolean,
): ToolCallEntry {
  const isWanted = (entry: ToolCallEntry) =>
    entry.toolCallId === toolCallId && (messageId ?? entry.messageId) === entry.messageId
  const awaiting = awaitingCalls(context).find(isWanted)
  if (awaiting) return awaiting
  const calls = context.getState().messages.flatMap((message) => toolCallsOf(message))
  const part = calls.findLast(isWanted)?.part
  if (!part) {
    throw new EngineError('unknown_tool_call', `No such tool call: ${toolCallId}`, {
      details: { toolCallId },
    })
  }
  throw new EngineError(
    part.approval?.approved === approved ? 'already_decided' : 'not_awaiting_approval',
    `Tool call is not awaiting approval: ${toolCallId}`,
    { details: { toolCallId, isSettled: isSettled(part) } },
  )
}

function isPayload(payload: unknown): payload is ResumeToolCallPayload {
  if (!isRecord(payload)) return false
  const { toolCallId, outcome = 'yes', reason = '', messageId = '' } = payload
  return (
    [toolCallId, reason, messageId].every((text) => typeof text === 'string') &&
    toolCallId !== '' &&
    (outcome === 'yes' || outcome === 'no')
  )
}
