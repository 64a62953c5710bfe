import { nextTick, watch, type Ref, type WatchSource } from 'vue'

/**
 * Keeps the focus on the page when what has it goes, as a task that is decided does: it goes to the heading of
 * the list then, so that a person at the keyboard goes on from there.
 */
export function useFocusWithin(
  list: Readonly<Ref<HTMLElement | null>>,
  heading: Readonly<Ref<HTMLElement | null>>,
  changes: WatchSource[],
): void {
  watch(changes, async () => {
    const wasWithin = list.value?.contains(document.activeElement) ?? false
    await nextTick()
    if (wasWithin && document.activeElement === document.body) heading.value?.focus()
  })
}
