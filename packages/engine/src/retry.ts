import type { UIMessage } from 'ai'
import { assentMetadata, isSettled, isToolCallPart } from './message/tool-part.ts'
import type { StepMark } from './state.ts'
import type { Store } from './store.ts'

/**
 * Drops what a step's stream wrote, so that it can be requested again, but never a call that has
 * run, or may have: what follows the last such one is dropped, and the model is asked with its
 * result, or with what is known. When the server replays the stream, all of it is dropped.
 * Answers whether nothing of the step is left.
 */
export function dropStep<MESSAGE extends UIMessage>(
  store: Store<MESSAGE>,
  { messageId, partCount }: StepMark,
  isReplayed = false,
): boolean {
  const index = messageId === undefined ? -1 : store.indexOf(messageId)
  if (messageId === undefined || index === -1) return true
  const parts = store.getMessage(messageId)?.parts ?? []
  const lastRun = parts.findLastIndex((part) => {
    if (!isToolCallPart(part) || !isSettled(part)) return false
    const { ended, mayHaveRun } = assentMetadata(part)
    return ended === undefined || ended === 'timeout' || mayHaveRun
  })
  const kept = isReplayed ? partCount : Math.max(partCount, lastRun + 1)
  if (kept === 0) store.truncate(index)
  else store.replace(messageId, (message) => ({ ...message, parts: message.parts.slice(0, kept) }))
  return kept === partCount
}
