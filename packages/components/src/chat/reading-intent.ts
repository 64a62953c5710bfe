import { REVEAL_EVENT } from '../context/reveal-event.ts'

const UP_KEYS = new Set(['ArrowUp', 'PageUp', 'Home'])
const PASSIVE = { passive: true }

/**
 * Tells when a reader goes elsewhere, by what the reader does: the wheel, a finger, keys, the scrollbar,
 * and moving the focus upwards. Scroll positions say nothing about it: they also change when content
 * grows, shrinks or is measured late.
 *
 * Listeners go with the element.
 *
 * @param top where the view was before what happens now
 * @param onToggle something was opened or closed; it must stay where it is
 */
export function watchReader(
  element: HTMLElement,
  top: () => number,
  onLeave: () => void,
  onToggle: (toggle: Element) => void,
): void {
  let touchY: number | undefined

  element.addEventListener(REVEAL_EVENT, onLeave)
  element.addEventListener('wheel', (event) => event.deltaY < 0 && onLeave(), PASSIVE)
  element.addEventListener(
    'touchstart',
    (event) => {
      touchY = event.touches[0]?.clientY
    },
    PASSIVE,
  )
  element.addEventListener(
    'touchmove',
    (event) => {
      const y = event.touches[0]?.clientY
      if (y !== undefined && touchY !== undefined && y > touchY) onLeave()
      touchY = y
    },
    PASSIVE,
  )
  element.addEventListener('keydown', ({ target, key, shiftKey }) => {
    if (target instanceof HTMLElement && target.matches('input, textarea')) return
    if (UP_KEYS.has(key) || (key === ' ' && shiftKey)) onLeave()
  })
  element.addEventListener('pointerdown', ({ target, offsetX }) => {
    if (target === element && offsetX >= element.clientWidth) onLeave()
  })
  element.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLElement) || target === element) return
    // Some browsers have scrolled to it already.
    const { bottom } = target.getBoundingClientRect()
    if (bottom < element.getBoundingClientRect().top || element.scrollTop < top()) onLeave()
  })
  // Captured: what is clicked is still as it was. A key on a button is a click as well.
  element.addEventListener(
    'click',
    ({ target }) => {
      const toggle = target instanceof Element && target.closest('[aria-expanded], summary')
      if (toggle) onToggle(toggle)
    },
    { capture: true },
  )
}
