import type { UIMessage } from 'ai'
import { closeOpenParts, endedText } from './message/close-open-parts.ts'
import { hasProviderRun, keyOf, toolCallsOf, type ToolCallEntry } from './message/tool-calls.ts'
import {
  isDecidedRemotely,
  isToolCallPart,
  type MessagePart,
  type ToolCallRef,
} from './message/tool-part.ts'
import type { TurnHost } from './turn-host.ts'

/**
 * Gives a result to calls whose answer the next request would carry in vain, or once too often.
 *
 * A server reads the answers to its calls at the end of a history only: not when another message
 * follows, such as one that a plugin appended during the pause. A provider reads its own wherever
 * they are: an approval that was sent before, and after which nothing of the provider is to be found
 * (it was dropped to be asked for anew), would run its call a second time.
 */
export function settleUnreadAnswers<MESSAGE extends UIMessage>({
  store,
  now,
}: TurnHost<MESSAGE>): void {
  const { messages, turn } = store.getState()
  if (!messages.some(({ parts }) => parts.some(isAnswered))) return
  const calls = messages.flatMap((message) => toolCallsOf(message))
  const { unsent = [], underWay = [] } = turn ?? {}
  const isOneOf = (refs: readonly ToolCallRef[], call: ToolCallEntry) =>
    refs.some((ref) => keyOf(ref) === keyOf(call))
  // What nothing came of is sent again, when a person says so.
  const isToSend = (call: ToolCallEntry) => isOneOf(unsent, call) || isOneOf(underWay, call)
  const unread = calls.filter((call, index) => {
    const { part, messageId } = call
    if (!isAnswered(part)) return false
    if (!part.providerExecuted) return messageId !== messages.at(-1)?.id
    const isApproved = part.approval?.approved === true
    return isApproved && !isToSend(call) && !hasProviderRun(calls.slice(index + 1))
  })
  for (const call of unread) {
    store.replace(call.messageId, (message) => {
      const closed = closeOpenParts(message, {
        text: endedText('The conversation went on'),
        ended: 'interrupted',
        now: now(),
        answer: () => (isOneOf(unsent, call) && !isOneOf(underWay, call) ? 'unsent' : 'under-way'),
        keep: (part) => part !== call.part,
      })
      // Closing changes parts within their own types.
      return closed as MESSAGE
    })
  }
}

/** Whether a part is a call that is executed elsewhere, and that somebody decided. */
function isAnswered(part: MessagePart): boolean {
  return isToolCallPart(part) && isDecidedRemotely(part)
}
