import { onMounted, onUpdated, type Ref } from 'vue'

/**
 * One stop for the Tab key among the buttons of a toolbar: the arrow keys, Home and End go along them, and
 * the one that had the focus last has it again.
 */
export function useToolbar(toolbar: Readonly<Ref<HTMLElement | null>>): {
  onKeyDown(event: KeyboardEvent): void
  onFocusIn(event: FocusEvent): void
} {
  let current: HTMLElement | undefined

  function buttons(): HTMLElement[] {
    return [...(toolbar.value?.querySelectorAll<HTMLElement>('button, a[href]') ?? [])]
  }

  function mark(): void {
    const all = buttons()
    const stop = current && all.includes(current) ? current : all[0]
    for (const button of all) button.tabIndex = button === stop ? 0 : -1
  }

  onMounted(mark)
  onUpdated(mark)

  return {
    onKeyDown(event) {
      const all = buttons()
      const index = all.findIndex((button) => button === document.activeElement)
      if (index === -1 || !toolbar.value) return
      const isRtl = getComputedStyle(toolbar.value).direction === 'rtl'
      const places = new Map([
        ['ArrowRight', index + (isRtl ? -1 : 1)],
        ['ArrowLeft', index + (isRtl ? 1 : -1)],
        ['Home', 0],
        ['End', all.length - 1],
      ])
      const to = places.get(event.key)
      if (to === undefined) return
      // The list behind must not scroll.
      event.preventDefault()
      event.stopPropagation()
      all[(to + all.length) % all.length]?.focus()
    },
    onFocusIn({ target }) {
      current = buttons().find((button) => button === target) ?? current
      mark()
    },
  }
}
