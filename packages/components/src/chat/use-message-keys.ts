import type { Ref } from 'vue'
import { useConfig } from '../config/config.ts'

/** Keys that go from message to message, and by how many. */
const STEPS = new Map([
  ['j', 1],
  ['k', -1],
])

/**
 * J goes to the next message and K to the one before, as long as the focus is among the messages and
 * not where something is typed. From the list itself, K begins at the last and J at the first one.
 */
export function useMessageKeys(
  scroller: Readonly<Ref<HTMLElement | null>>,
): (event: KeyboardEvent) => void {
  const config = useConfig()
  return (event) => {
    const step = STEPS.get(event.key.toLowerCase())
    const { target } = event
    if (step === undefined || !config.value.shortcuts || !(target instanceof HTMLElement)) return
    if (event.defaultPrevented || event.isComposing) return
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
    if (target.matches('input, textarea, select') || target.isContentEditable) return
    const all = [...(scroller.value?.querySelectorAll<HTMLElement>('[data-slot="bubble"]') ?? [])]
    const index = all.findIndex((message) => message.contains(target))
    const next = index === -1 ? all.at(step > 0 ? 0 : -1) : all[index + step]
    if (!next) return
    event.preventDefault()
    next.tabIndex = -1
    next.focus({ preventScroll: true })
    next.scrollIntoView({ block: 'nearest' })
  }
}
