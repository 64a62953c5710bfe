import { computed, watch, type ComputedRef } from 'vue'
import { useLocale } from '../config/config.ts'
import { useAnnounce } from '../context/announcer.ts'
import { useArmed } from '../tool-call/use-armed.ts'
import type { Rest } from './review.ts'
import type { QuestionReview } from './use-review.ts'

/** Whether a yes is taken now, for every button that gives one. */
export interface Readiness {
  readonly isReady: boolean
  /** Where what was not on the screen yet is, as far as that is known. */
  readonly rest: Rest | undefined
  /** Scrolls to that, and says so; where there is nothing of it, this does nothing. */
  showRest(): void
}

/**
 * A yes is taken once all that it is about was on the screen, and not in the moment in which that became
 * so: what was pressed then was pressed to read on.
 *
 * @param canAct whether the other buttons of the question take a click
 */
export function useReadiness(
  review: QuestionReview,
  canAct: () => boolean,
): ComputedRef<Readiness> {
  const locale = useLocale()
  const announce = useAnnounce()
  const { isArmed, arm } = useArmed(() => undefined)

  function showRest(): void {
    if (!canAct() || review.isShown.value) return
    announce(locale.value.ask.rest.shown)
    review.showRest()
  }

  watch(review.isShown, (isShown) => isShown && canAct() && arm(), { flush: 'sync' })
  return computed(() => ({
    isReady: canAct() && review.isShown.value && isArmed.value,
    rest: review.rest.value,
    showRest,
  }))
}
