import type { UIMessage } from 'ai'
import { changeMetadata, declinedCall, deniedCall, failedCall } from './tool-part-states.ts'
import {
  isElsewhere,
  isSettled,
  isToolCallPart,
  toolCallStatus,
  type MessagePart,
  type ToolCallPart,
} from './tool-part.ts'

/** How far the answer has come that a person gave to a call which is executed elsewhere. */
export type AnswerProgress = 'unsent' | 'under-way' | 'sent'

/** How the open parts of a message are closed. */
export interface CloseOptions {
  /** The stable text that the result of a call says, for all or for each. */
  text: string | ((part: ToolCallPart, answer: AnswerProgress) => string)
  ended: 'cancelled' | 'interrupted'
  /** Milliseconds since the epoch. */
  now: number
  /** Asked for calls that were answered. Default: `'sent'`. */
  answer?: (part: ToolCallPart) => AnswerProgress
  /** Calls that stay as they are. */
  keep?: (part: ToolCallPart) => boolean
  /** The index of the first part that may be closed. Default 0. */
  fromPart?: number
}

/**
 * Makes a message valid after an abort, an error or a crash: streaming text is done, and every call
 * that has no result gets one, a denial where it was denied. A provider-executed call whose answer
 * has arrived stays: what it became arrives under another id (OpenAI's MCP approvals). One whose
 * approval has not, or not for sure, is declined: the next request would run it (again).
 * The same message when nothing was open.
 */
export function closeOpenParts(message: UIMessage, options: CloseOptions): UIMessage {
  const { fromPart = 0 } = options
  return mapParts(message, (part, index) => {
    if (index < fromPart) return part
    return isToolCallPart(part) ? closeCall(part, options) : closeText(part)
  })
}

/** Says for a call that ended without a result what is known: whether it can have taken effect. */
export function endedText(why: string): (part: ToolCallPart, answer: AnswerProgress) => string {
  return (part, answer) => {
    const status = toolCallStatus(part)
    if (status === 'executing') return `${why} while it ran; it may have taken effect.`
    if (status === 'awaiting-approval') return `${why} before it was decided; it did not run.`
    if (answer === 'unsent') return `${why} before the decision was sent; it did not run.`
    return isElsewhere(part)
      ? `${why} before its result came; whether it ran is not known.`
      : `${why} before it ran.`
  }
}

/** Makes streaming text and reasoning done; calls stay as they are. */
export function closeOpenText(message: UIMessage): UIMessage {
  return mapParts(message, closeText)
}

function closeCall(part: ToolCallPart, options: CloseOptions): ToolCallPart {
  const { text, ended, now, keep } = options
  if (isSettled(part) || keep?.(part)) return part
  const answer = options.answer?.(part) ?? 'sent'
  if (part.state === 'approval-responded') {
    if (!part.approval.approved) return part.providerExecuted ? part : deniedCall(part, now)
    if (part.providerExecuted && answer === 'sent') return part
  }
  const why = typeof text === 'string' ? text : text(part, answer)
  // A provider knows no other result of an approval that it asked for than the answer to it.
  const isDeclined = part.providerExecuted && part.approval
  const closed = isDeclined ? declinedCall(part, why) : failedCall(part, why)
  // What was cut was a preliminary output, which is gone.
  return changeMetadata(closed, { ended, endedAt: now, cut: undefined })
}

function closeText(part: MessagePart): MessagePart {
  const isOpen = (part.type === 'text' || part.type === 'reasoning') && part.state === 'streaming'
  return isOpen ? { ...part, state: 'done' } : part
}

function mapParts(
  message: UIMessage,
  change: (part: MessagePart, index: number) => MessagePart,
): UIMessage {
  const parts = message.parts.map(change)
  return parts.every((part, index) => part === message.parts[index])
    ? message
    : { ...message, parts }
}
