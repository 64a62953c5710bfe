import type { UIMessage } from 'ai'
import { standingApproval } from './apply-decision.ts'
import { withChanges } from './tool-call-draft.ts'
import { changeMetadata, declinedCall, deniedCall, failedCall } from './tool-part-states.ts'
import {
  isElsewhere,
  isSettled,
  isToolCallPart,
  isWaiting,
  toolCallStatus,
  toolNameOf,
  type MessagePart,
  type ToolCallPart,
} from './tool-part.ts'

/** How far the answer has come that a person gave to a call which is executed elsewhere. */
export type AnswerProgress = 'unsent' | 'under-way' | 'sent'

/**
 * What is known of a call that ends without a result.
 *
 * - `undecided` it waited for a person
 * - `unsent` it was decided, which nobody else was told
 * - `unstarted` it was to run here and did not
 * - `running` it ran here
 * - `unknown` somebody else runs it, maybe
 */
export type CallFate = 'undecided' | 'unsent' | 'unstarted' | 'running' | 'unknown'

type EndOfCall = 'cancelled' | 'interrupted'

/** How the open parts of a message are closed. */
export interface CloseOptions {
  /** The stable text that the result of a call says, for all or for each. */
  text: string | ((fate: CallFate, part: ToolCallPart) => string)
  ended: EndOfCall | ((fate: CallFate) => EndOfCall)
  /** Milliseconds since the epoch. */
  now: number
  /** Asked for calls that were answered. Default: `'sent'`. */
  answer?: (part: ToolCallPart) => AnswerProgress
  /** Whether a tool runs here, or else nowhere. Default: for none it is known. */
  isRunHere?: (toolName: string) => boolean
  /** Calls that stay as they are. */
  keep?: (part: ToolCallPart) => boolean
}

/**
 * Makes a message valid after an abort, an error or a crash: streaming text is done, and every call
 * that has no result gets one, a denial where it was denied. A provider-executed call whose answer
 * has arrived stays: what it became arrives under another id (OpenAI's MCP approvals). One whose
 * approval has not, or not for sure, is declined: the next request would run it (again).
 * The same message when nothing was open.
 */
export function closeOpenParts(message: UIMessage, options: CloseOptions): UIMessage {
  return mapParts(message, (part) =>
    isToolCallPart(part) ? closeCall(part, options) : closeText(part),
  )
}

/** Says for a call that ended without a result whether it can have taken effect. */
export function endedText(why: string): (fate: CallFate) => string {
  const texts: Record<CallFate, string> = {
    undecided: 'before it was decided; it did not run',
    unsent: 'before the decision was sent; it did not run',
    unstarted: 'before it ran',
    running: 'while it ran; it may have taken effect',
    unknown: 'before its result came; whether it ran is not known',
  }
  return (fate) => `${why} ${texts[fate]}.`
}

/** Makes streaming text and reasoning done; calls stay as they are. */
export function closeOpenText(message: UIMessage): UIMessage {
  return mapParts(message, closeText)
}

function closeCall(open: ToolCallPart, options: CloseOptions): ToolCallPart {
  const { text, ended, now, keep } = options
  if (isSettled(open) || keep?.(open)) return open
  const standing = standingApproval(open)
  const part = standing.approval ? withChanges(open, standing) : open
  const answer = options.answer?.(part) ?? 'sent'
  if (part.state === 'approval-responded') {
    if (!part.approval.approved) return part.providerExecuted ? part : deniedCall(part, now)
    if (part.providerExecuted && answer === 'sent') return part
  }
  const fate = fateOf(part, answer, options)
  const why = typeof text === 'string' ? text : text(fate, part)
  // A provider knows no other result of an approval that it asked for than the answer to it.
  const isDeclined = part.providerExecuted && part.approval
  const closed = isDeclined ? declinedCall(part, why) : failedCall(part, why)
  // What was cut was a preliminary output, which is gone.
  const mayHaveRun = fate === 'running' || fate === 'unknown' || undefined
  return changeMetadata(closed, {
    ended: typeof ended === 'string' ? ended : ended(fate),
    endedAt: now,
    cut: undefined,
    mayHaveRun,
  })
}

function fateOf(
  part: ToolCallPart,
  answer: AnswerProgress,
  { isRunHere }: Pick<CloseOptions, 'isRunHere'>,
): CallFate {
  if (isWaiting(part)) return 'undecided'
  const status = toolCallStatus(part)
  if (status === 'executing') return 'running'
  if (answer === 'unsent') return 'unsent'
  if (isElsewhere(part)) return 'unknown'
  // A server says nothing of the calls that it runs without asking, before it has their results.
  const isForeign = status === 'validating' && !isRunHere?.(toolNameOf(part))
  return isForeign ? 'unknown' : 'unstarted'
}

function closeText(part: MessagePart): MessagePart {
  const isOpen = (part.type === 'text' || part.type === 'reasoning') && part.state === 'streaming'
  return isOpen ? { ...part, state: 'done' } : part
}

function mapParts(message: UIMessage, change: (part: MessagePart) => MessagePart): UIMessage {
  const parts = message.parts.map(change)
  return parts.every((part, index) => part === message.parts[index])
    ? message
    : { ...message, parts }
}
