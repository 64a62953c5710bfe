import type { ToolSet, UIMessage } from 'ai'
import { EngineError } from '../../errors.ts'
import { refOf, toolCallsOf, type ToolCallEntry } from '../../message/tool-calls.ts'
import { answeredCall, changeMetadata } from '../../message/tool-part-states.ts'
import {
  isAwaitingApproval,
  isElsewhere,
  isSettled,
  toolNameOf,
  type ToolCallRef,
} from '../../message/tool-part.ts'
import type { CommandContext } from '../../plugin.ts'
import type { ResumeToolCallPayload, ToolPluginOptions } from './options.ts'
import { changeCall, isAnyAwaiting, openCalls, turnCalls } from './turn-calls.ts'

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
  const { toolCallId, outcome = 'yes', reason, messageId } = parsePayload(payload)
  const isApproved = outcome === 'yes'
  const entry = findAwaiting(context, { toolCallId, messageId, isApproved })
  const ref = refOf(entry)
  const at = context.now()
  const approvalId = entry.part.approval?.id ?? ''
  changeCall(context, entry, (part) =>
    changeMetadata(answeredCall(part, { id: approvalId, approved: isApproved, reason }), {
      decidedAt: at,
      decidedBy: 'person',
    }),
  )
  context.appendConfirmation({
    ...ref,
    id: context.generateId(),
    toolName: toolNameOf(entry.part),
    outcome,
    ...(reason === undefined ? {} : { reason }),
    at,
  })
  const isRunHere = isApproved && !isElsewhere(entry.part)
  // A call that runs here is marked when it has its result.
  if (!isRunHere) context.markUnsent(ref)
  goOn(context, options, isRunHere)
  return ref
}

/** Denies everything that waits, with the person's own words as the reason. */
export function denyAll<MESSAGE extends UIMessage>(
  reason: string,
  context: CommandContext<MESSAGE>,
  options: Gate,
): boolean {
  const waiting = openCalls(context).filter(({ part }) => isAwaitingApproval(part))
  for (const { messageId, toolCallId } of waiting) {
    resumeToolCall({ messageId, toolCallId, outcome: 'no', reason }, context, options)
  }
  return waiting.length > 0
}

/** The turn goes on when the decision opened the gate of something. */
function goOn<MESSAGE extends UIMessage>(
  context: CommandContext<MESSAGE>,
  { gate = 'step' }: Gate,
  isRunHere: boolean,
): void {
  const open = openCalls(context)
  if (isAnyAwaiting(open) && !(gate === 'call' && isRunHere)) return
  const isAnyToRun = open.some(
    ({ part }) =>
      !isElsewhere(part) && part.state === 'approval-responded' && part.approval.approved,
  )
  const isAnyReady = isAnyToRun || open.some(({ part }) => part.state === 'input-available')
  context.advance(isAnyReady ? 'calling-tools' : 'requesting')
}

function findAwaiting<MESSAGE extends UIMessage>(
  context: CommandContext<MESSAGE>,
  wanted: { toolCallId: string; messageId: string | undefined; isApproved: boolean },
): ToolCallEntry {
  const { toolCallId, messageId } = wanted
  const isWanted = (entry: ToolCallEntry) =>
    entry.toolCallId === toolCallId && (messageId === undefined || entry.messageId === messageId)
  const inTurn = turnCalls(context).filter(isWanted)
  const awaiting = inTurn.find(({ part }) => isAwaitingApproval(part))
  if (awaiting) return awaiting
  const { messages } = context.getState()
  const known =
    inTurn.at(-1) ?? messages.flatMap((message) => toolCallsOf(message)).findLast(isWanted)
  const details = { toolCallId }
  if (!known) {
    throw new EngineError('unknown_tool_call', `There is no tool call ${toolCallId}.`, { details })
  }
  const approved = known.part.approval?.approved
  const isSame = approved === wanted.isApproved
  throw new EngineError(
    isSame ? 'already_decided' : 'not_awaiting_approval',
    `Tool call is not awaiting approval: ${toolCallId}`,
    { details: { ...details, isSettled: isSettled(known.part), isSame } },
  )
}

function parsePayload(payload: unknown): ResumeToolCallPayload {
  if (typeof payload !== 'object' || payload === null) throw invalid('an object', payload)
  const { toolCallId, outcome, reason, messageId }: Partial<Record<string, unknown>> = {
    ...payload,
  }
  if (typeof toolCallId !== 'string' || toolCallId === '') {
    throw invalid('the toolCallId of a call that awaits approval', toolCallId)
  }
  if (outcome !== undefined && outcome !== 'yes' && outcome !== 'no') {
    throw invalid("an outcome of 'yes' or 'no'", outcome)
  }
  if (reason !== undefined && typeof reason !== 'string') throw invalid('a text as reason', reason)
  if (messageId !== undefined && typeof messageId !== 'string') {
    throw invalid('the id of a message', messageId)
  }
  return { toolCallId, outcome, reason, messageId }
}

function invalid(wanted: string, got: unknown): EngineError {
  return new EngineError(
    'invalid_argument',
    `resumeToolCall needs ${wanted}, but got ${typeof got === 'string' ? JSON.stringify(got) : typeof got}.`,
  )
}
