import type { EngineError } from '@assent/engine'
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
