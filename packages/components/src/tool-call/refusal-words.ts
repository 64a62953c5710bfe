import { assentMetadata, EngineError, type ToolCallPart } from '@assent/engine'
import { wordsOfError } from '../chat/error-words.ts'
import type { AssentLocale } from '../locale/locale.ts'

/** Why a decision was refused, in a few words and in a sentence. */
export function refusalWords(
  error: EngineError,
  locale: AssentLocale,
): { title: string; text: string } {
  const { code } = error
  const isLate = code === 'not_awaiting_approval' || code === 'not_awaiting_output'
  return {
    title: isLate ? locale.alreadyDecided : locale.refused,
    text: wordsOfError(error, locale),
  }
}

/** Why the server of a call did not take the decision on it before, so that it asks again. */
export function notTakenWords(
  part: ToolCallPart,
  locale: AssentLocale,
): { title: string; text: string } | undefined {
  const { refused } = assentMetadata(part)
  if (!refused) return undefined
  const { code, message } = refused
  // Words of the server's own, but for what there are words for here.
  return code === 'may-not-decide'
    ? refusalWords(new EngineError('may_not_decide', message), locale)
    : { title: locale.refused, text: message }
}
