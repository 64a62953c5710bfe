import type { UIMessage } from 'ai'
import { assentMetadata, isSettled, isToolCallPart } from './message/tool-part.ts'
import type { TurnState } from './state.ts'
import type { Store } from './store.ts'

/**
 * Drops what the last step's stream wrote, so that it can be requested again, but never a call that
 * has run: what follows the last one that did is dropped, and the model is asked with its result.
 */
export function dropLastStep<MESSAGE extends UIMessage>(
  store: Store<MESSAGE>,
  turn: TurnState,
): void {
  const messageId = turn.assistantMessageId
  const index = messageId === undefined ? -1 : store.indexOf(messageId)
  if (messageId === undefined || index === -1 || !turn.lastStep) return
  const isContinued = turn.lastStep.messageId === messageId
  const start = isContinued ? turn.lastStep.partCount : 0
  const parts = store.getMessage(messageId)?.parts ?? []
  const lastRun = parts.findLastIndex((part) => {
    if (!isToolCallPart(part) || !isSettled(part)) return false
    const { ended } = assentMetadata(part)
    return ended === undefined || ended === 'timeout'
  })
  const kept = Math.max(start, lastRun + 1)
  if (kept === 0) store.truncate(index)
  else store.replace(messageId, (message) => ({ ...message, parts: message.parts.slice(0, kept) }))
}
