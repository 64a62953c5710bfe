import { computed, onBeforeUnmount, onMounted, shallowRef, watch, type ComputedRef } from 'vue'
import type { Rest, Review, Reviewed } from './review.ts'

/** How far one question was shown, for what shows it. */
export interface QuestionReview {
  /** Names it; `undefined` once it is answered. */
  readonly question: () => string | undefined
  /** All of it was on the screen, here or elsewhere in the page. */
  readonly isShown: ComputedRef<boolean>
  /** How many lines are folded of what was on the screen apart from them; else 0. */
  readonly folded: ComputedRef<number>
  /** Where what was not is, once some of it was. */
  readonly rest: ComputedRef<Rest | undefined>
  /** Scrolls to that. */
  showRest(): void
}

/**
 * Follows how far a question is shown by an element of this component.
 *
 * @param question from `questionKey`; `undefined` once it is answered
 */
export function useReview(
  review: Review,
  options: {
    question: () => string | undefined
    element: () => HTMLElement | null
    /** A card in the conversation; else a row. */
    isCard: boolean
  },
): QuestionReview {
  const { question, element, isCard } = options
  const current = shallowRef<Reviewed>()
  const isShown = computed(() => {
    const asked = question()
    return asked !== undefined && review.whole.has(asked)
  })

  onMounted(() => {
    watch(
      [question, element],
      ([asked, shownBy], [former]) => {
        current.value?.stop()
        current.value = undefined
        if (former !== undefined && former !== asked) review.forget(former)
        if (asked === undefined || !shownBy) return
        current.value = review.watch(shownBy, asked, isCard)
      },
      { immediate: true, flush: 'post' },
    )
  })
  onBeforeUnmount(() => current.value?.stop())

  return {
    question,
    isShown,
    folded: computed(() => current.value?.folded.value ?? 0),
    rest: computed(() => (isShown.value ? undefined : current.value?.rest.value)),
    showRest: () => current.value?.showRest(),
  }
}
