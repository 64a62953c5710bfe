import type { TurnState } from '@assent/engine'
import { computed, type ComputedRef } from 'vue'
import { useLocale } from '../config/config.ts'
import { useClock } from '../context/clock.ts'
import { formatElapsed } from '../locale/format.ts'

/** Milliseconds of a wait after which it is told: a model that thinks is no news. */
const TOLD_AFTER_MS = 3_000

/** What a turn waits for and for how long, once that is worth a word. */
export function useWaitWords(turn: () => TurnState | undefined): ComputedRef<string | undefined> {
  const locale = useLocale()
  const now = useClock(() => turn()?.waitingFor !== undefined)
  return computed(() => {
    const { waitingFor } = turn() ?? {}
    // A tool that runs says so in its own line.
    if (!waitingFor || waitingFor.type === 'tool' || now.value === undefined) return undefined
    const elapsed = now.value - waitingFor.since
    const words: string | undefined = locale.value.waits[waitingFor.type]
    if (elapsed < TOLD_AFTER_MS || words === undefined) return undefined
    return `${words} ${formatElapsed(locale.value, elapsed)}`
  })
}
