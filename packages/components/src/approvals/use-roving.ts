import { ref, type Ref } from 'vue'

/** A list in which the arrow keys move the focus, and of which one item is in the tab order. */
export interface Roving {
  /** Which item that is. */
  readonly current: Ref<number>
  onKeyDown(event: KeyboardEvent): void
  /** Gives an item the focus. */
  focus(index: number): void
}

/** @param items selects the items; keys count where the focus is in one of them */
export function useRoving(list: () => HTMLElement | null, items: string): Roving {
  const current = ref(0)

  function all(): HTMLElement[] {
    return [...(list()?.querySelectorAll<HTMLElement>(items) ?? [])]
  }

  function focus(index: number): void {
    const item = all()[index]
    if (!item) return
    current.value = index
    item.focus()
  }

  return {
    current,
    focus,
    onKeyDown(event) {
      const { target, key, ctrlKey, metaKey, altKey } = event
      if (ctrlKey || metaKey || altKey || !(target instanceof HTMLElement)) return
      // In a field the arrows are for the text.
      if (target.matches('input, textarea, select')) return
      const found = all()
      const index = found.findIndex((item) => item.contains(target))
      const last = found.length - 1
      const moves: Record<string, number> = {
        ArrowDown: Math.min(index + 1, last),
        ArrowUp: Math.max(index - 1, 0),
        Home: 0,
        End: last,
      }
      const next = moves[key]
      if (index < 0 || next === undefined) return
      event.preventDefault()
      focus(next)
    },
  }
}
