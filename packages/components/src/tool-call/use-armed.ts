import { onBeforeUnmount, onMounted, ref, watch, type Ref } from 'vue'

/** Milliseconds after which buttons of a card that just appeared take a click. */
export const ARMING_MS = 400

/**
 * Whether buttons take a click: not before {@link ARMING_MS} have passed since they appeared, and
 * since `changed` last gave another value, so that a click meant for something else decides nothing.
 */
export function useArmed(changed: () => unknown): Readonly<Ref<boolean>> {
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
  return isArmed
}
