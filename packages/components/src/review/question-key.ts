import { assentMetadata, previewOf, type ToolCallPart } from '@assent/engine'
import { callKey } from '../context/call-board.ts'

const known = new WeakMap<ToolCallPart, readonly [messageId: string | undefined, key: string]>()

/** Names what is shown of a question: with another input, preview or sentence it is another one. */
export function questionKey(messageId: string | undefined, part: ToolCallPart): string {
  const former = known.get(part)
  if (former && former[0] === messageId) return former[1]
  const { summary, risk } = assentMetadata(part)
  const shown = [part.input, previewOf(part), summary, risk]
  const key = `${callKey(messageId, part)} ${JSON.stringify(shown)}`
  known.set(part, [messageId, key])
  return key
}
