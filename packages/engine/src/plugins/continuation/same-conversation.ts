import type { UIMessage } from 'ai'
import { isEqualJson } from '../../message/json-equality.ts'
import {
  isSettled,
  isToolCallPart,
  type MessagePart,
  type ToolCallPart,
} from '../../message/tool-part.ts'

/**
 * Whether messages still say what they said, but for what became of their open calls meanwhile: the
 * results of those that run here, and the answers to those that run elsewhere.
 */
export function isSameConversation(
  before: readonly UIMessage[],
  now: readonly UIMessage[],
): boolean {
  return hasSame(before, now, isSameMessage)
}

function isSameMessage(before: UIMessage, now: UIMessage): boolean {
  if (before === now) return true
  // Metadata are the app's own: no model is told of them.
  return (
    before.id === now.id && before.role === now.role && hasSame(before.parts, now.parts, isSamePart)
  )
}

function isSamePart(before: MessagePart, now: MessagePart): boolean {
  if (before === now) return true
  if (!isToolCallPart(before) || !isToolCallPart(now)) return isEqualJson(before, now)
  if (before.providerExecuted || isSettled(before)) {
    return isEqualJson(fixedFields(before), fixedFields(now))
  }
  return isEqualJson(identity(before), identity(now))
}

/** What nobody here has a say in; a call that asks is answered here. */
function fixedFields({ toolMetadata: _ours, ...fields }: ToolCallPart): object {
  const { state, approval, ...rest } = fields
  const isAnswerable = state === 'approval-requested' || state === 'approval-responded'
  return isAnswerable ? rest : { ...rest, state, approval }
}

/** What makes a call that runs here the same call; even its input may be a person's. */
function identity(part: ToolCallPart): object {
  const { type, toolCallId, providerExecuted = false } = part
  return { type, toolCallId, providerExecuted, toolName: 'toolName' in part && part.toolName }
}

function hasSame<T>(
  before: readonly T[],
  now: readonly T[],
  isSame: (before: T, now: T) => boolean,
): boolean {
  if (before === now) return true
  return (
    before.length === now.length &&
    before.every((one, index) => {
      const other = now[index]
      return other !== undefined && isSame(one, other)
    })
  )
}
