import type { EngineError, RequestState, TurnState } from '@assent/engine'
import { watch } from 'vue'
import { useLocale } from '../config/config.ts'
import type { Announce } from '../context/announcer.ts'
import type { AssentLocale } from '../locale/locale.ts'
import { loadErrorWords, wordsOfError } from './error-words.ts'

/** Tells screen readers when an answer begins and ends. What asks, the cards say themselves. */
export function useTurnAnnouncements(
  requestState: () => RequestState,
  error: () => EngineError | undefined,
  turn: () => TurnState | undefined,
  announce: Announce,
): void {
  const locale = useLocale()
  async function sayError({ error: inWords }: AssentLocale['announce']): Promise<void> {
    const thrown = error()
    await loadErrorWords()
    announce(inWords(thrown ? wordsOfError(thrown, locale.value) : ''))
  }

  watch(requestState, (now, before) => {
    const words = locale.value.announce
    if (now === 'processing' && before !== 'paused') announce(words.answering)
    else if (now === 'completed') {
      const { notice, maxSteps = 0 } = turn() ?? {}
      announce(notice ? locale.value.notice(notice, maxSteps) : words.answered)
    } else if (now === 'aborted') announce(words.stopped)
    else if (now === 'error') void sayError(words)
  })
}
