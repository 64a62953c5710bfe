import { computed, ref, watch, type ComputedRef } from 'vue'
import { useLocale } from '../config/config.ts'
import { useAnnounce } from '../context/announcer.ts'
import { formatCount } from '../locale/format.ts'
import { useArmed } from '../tool-call/use-armed.ts'
import type { Rest } from './review.ts'
import type { QuestionReview } from './use-review.ts'

/** Whether a yes is taken now, for every button that gives one. */
export interface Readiness {
  readonly isReady: boolean
  /** Where what was not on the screen yet is, as far as that is known. */
  readonly rest: Rest | undefined
  /** A yes is taken although that many lines were not shown: its button has to say so. */
  readonly unread: number | undefined
  /**
   * Scrolls to that, and says so; where there is nothing of it, this does nothing. What is longer than two
   * screens is not scrolled to: the next press may say yes without it.
   */
  showRest(): void
}

/** About as high as a line is. */
const LINE_PX = 20

/**
 * The one rule by which every button takes a yes: once all that it is about was on the screen, and not in the moment in which that became
 * so: what was pressed then was pressed to read on. Of what is longer than two screens the rest may stay
 * folded when a second press, named after that, says so; never where the act cannot be undone.
 *
 * @param canAct whether the other buttons of the question take a click
 * @param isStrict whether it takes no yes to what was not read
 */
export function useReadiness(
  review: QuestionReview,
  canAct: () => boolean,
  isStrict: () => boolean,
): ComputedRef<Readiness> {
  const locale = useLocale()
  const announce = useAnnounce()
  const { isArmed, arm } = useArmed(() => undefined)

  /** The question that takes a yes without having been read. */
  const skipped = ref<string>()
  const unread = computed(() =>
    skipped.value !== undefined && skipped.value === review.question() && !isStrict()
      ? review.folded.value || undefined
      : undefined,
  )

  function showRest(): void {
    if (!canAct() || review.isShown.value || unread.value) return
    if (!isStrict() && review.folded.value * LINE_PX > 2 * innerHeight) {
      skipped.value = review.question()
      arm()
      const { rest } = locale.value.ask
      announce(rest.unread(locale.value.approve, formatCount(locale.value, review.folded.value)))
      return
    }
    announce(locale.value.ask.rest.shown)
    review.showRest()
  }

  watch(review.isShown, (isShown) => isShown && canAct() && arm(), { flush: 'sync' })
  return computed(() => ({
    isReady: canAct() && (review.isShown.value || unread.value !== undefined) && isArmed.value,
    rest: unread.value === undefined ? review.rest.value : undefined,
    unread: unread.value,
    showRest,
  }))
}
