import type { EngineError } from '@assent/engine'
import type { AssentLocale } from '../locale/locale.ts'

/** Why a decision was refused, in a few words and in the engine's own. */
export function refusalWords(
  { code, message }: EngineError,
  locale: AssentLocale,
): { title: string; text: string } {
  const isLate = code === 'not_awaiting_approval' || code === 'not_awaiting_output'
  return { title: isLate ? locale.alreadyDecided : locale.refused, text: message }
}
