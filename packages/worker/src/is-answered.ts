import { isSettled, isToolCallPart, type TurnNotice } from '@assent/engine'
import type { UIMessage } from 'ai'

/**
 * Whether a turn that has come to rest has its answer: the one place that says what counts as one. It has when
 * the model wrote something after its last call had a result, or when the turn says why there is no more. A call
 * that its provider runs needs no other step.
 *
 * @param answer the messages that follow the person's
 */
export function isAnswered(answer: readonly UIMessage[], notice: TurnNotice | undefined): boolean {
  if (notice !== undefined) return true
  const parts = answer.flatMap((message) => (message.role === 'assistant' ? message.parts : []))
  if (parts.some((part) => isToolCallPart(part) && !isSettled(part))) return false
  const lastCall = parts.findLastIndex(
    (part) => isToolCallPart(part) && part.providerExecuted !== true,
  )
  return parts
    .slice(lastCall + 1)
    .some(({ type }) => type !== 'step-start' && !type.startsWith('data-'))
}
