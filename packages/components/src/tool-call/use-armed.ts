import { onBeforeUnmount, onMounted, ref, watch, type Ref } from 'vue'

/** Milliseconds after which buttons of a card that just appeared take a click. */
export const ARMING_MS = 400

/** Keeps buttons from taking a click that was meant for something else. */
export interface Arming {
  readonly isArmed: Readonly<Ref<boolean>>
  /** Begins anew, as if the buttons had just appeared. */
  arm(): void
}

/**
 * Arms the buttons of a card {@link ARMING_MS} after they appeared, and after `changed` last gave
 * another value.
 */
export function useArmed(changed: () => unknown): Arming {
  const isArmed = ref(false)
  let timer: ReturnType<typeof setTimeout> | undefined

  function arm(): void {
    clearTimeout(timer)
    isArmed.value = false
    timer = setTimeout(() => (isArmed.value = true), ARMING_MS)
  }

  onMounted(arm)
  watch(changed, arm)
  onBeforeUnmount(() => clearTimeout(timer))
  return { isArmed, arm }
}
