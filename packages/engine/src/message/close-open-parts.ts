import type { UIMessage } from 'ai'
import { changeMetadata, deniedCall, failedCall } from './tool-part-states.ts'
import {
  isElsewhere,
  isSettled,
  isToolCallPart,
  toolCallStatus,
  type MessagePart,
  type ToolCallPart,
} from './tool-part.ts'

/** How the open parts of a message are closed. */
export interface CloseOptions {
  /** The stable text that the result of a call says, for all or for each. */
  text: string | ((part: ToolCallPart) => string)
  ended: 'cancelled' | 'interrupted'
  /** Milliseconds since the epoch. */
  now: number
  /** Calls that stay as they are. */
  keep?: (part: ToolCallPart) => boolean
}

/**
 * Makes a message valid after an abort, an error or a crash: streaming text is done, and every call
 * that has no result gets one, a denial where it was denied. A provider-executed call that was
 * answered stays: what it became arrives under another id (OpenAI's MCP approvals).
 * The same message when nothing was open.
 */
export function closeOpenParts(message: UIMessage, options: CloseOptions): UIMessage {
  return mapParts(message, (part) =>
    isToolCallPart(part) ? closeCall(part, options) : closeText(part),
  )
}

/** Says for a call that ended without a result what is known: whether it can have taken effect. */
export function endedText(why: string): (part: ToolCallPart) => string {
  return (part) => {
    const status = toolCallStatus(part)
    if (status === 'executing') return `${why} while it ran; it may have taken effect.`
    if (status === 'awaiting-approval') return `${why} before it was decided; it did not run.`
    return isElsewhere(part)
      ? `${why} before its result came; whether it ran is not known.`
      : `${why} before it ran.`
  }
}

/** Makes streaming text and reasoning done; calls stay as they are. */
export function closeOpenText(message: UIMessage): UIMessage {
  return mapParts(message, closeText)
}

function closeCall(part: ToolCallPart, { text, ended, now, keep }: CloseOptions): ToolCallPart {
  if (isSettled(part) || keep?.(part)) return part
  if (part.state === 'approval-responded') {
    if (part.providerExecuted) return part
    if (!part.approval.approved) return deniedCall(part, now)
  }
  const errorText = typeof text === 'string' ? text : text(part)
  // What was cut was a preliminary output, which is gone.
  return changeMetadata(failedCall(part, errorText), { ended, endedAt: now, cut: undefined })
}

function closeText(part: MessagePart): MessagePart {
  const isOpen = (part.type === 'text' || part.type === 'reasoning') && part.state === 'streaming'
  return isOpen ? { ...part, state: 'done' } : part
}

function mapParts(message: UIMessage, change: (part: MessagePart) => MessagePart): UIMessage {
  let isChanged = false
  const parts = message.parts.map((part) => {
    const next = change(part)
    if (next !== part) isChanged = true
    return next
  })
  return isChanged ? { ...message, parts } : message
}
