import { onBeforeUnmount, onMounted, ref, type Ref } from 'vue'

/** How near to the end counts as the end, in pixels. */
const END_PX = 24
const UP_KEYS = new Set(['ArrowUp', 'PageUp', 'Home'])

/** Keeps the end of a growing content in view until the reader goes elsewhere. */
export interface Follow {
  /** Whether the end is kept in view. */
  readonly isFollowing: Readonly<Ref<boolean>>
  /** Whether the end is out of view. */
  readonly isAway: Readonly<Ref<boolean>>
  /** Goes to the end and stays there. */
  jump(): void
}

/**
 * Follows the end of `content` inside `scroller`.
 *
 * What the reader means is taken from wheel, touch, keys, the scrollbar and selecting, never from
 * scroll positions: those also change when content grows, shrinks or is measured late. Reaching the end
 * by scrolling down follows again.
 *
 * @param hasEnd whether the content has an end to be at; without one it is read from its beginning
 */
export function useFollow(
  scroller: Readonly<Ref<HTMLElement | null>>,
  content: Readonly<Ref<HTMLElement | null>>,
  hasEnd: () => boolean,
): Follow {
  const isFollowing = ref(true)
  const isAway = ref(false)
  let observer: ResizeObserver | undefined
  let touchY: number | undefined
  let lastTop = 0

  function distance(element: HTMLElement): number {
    return element.scrollHeight - element.scrollTop - element.clientHeight
  }

  function isFarFromEnd(element: HTMLElement): boolean {
    return hasEnd() && distance(element) > END_PX
  }

  function stay(): void {
    const element = scroller.value
    if (!element) return
    if (isSelecting()) leave()
    // At once: a smooth scroll is never done while the content grows on.
    if (isFollowing.value && hasEnd()) element.scrollTop = element.scrollHeight
    lastTop = element.scrollTop
    isAway.value = isFarFromEnd(element)
  }

  function leave(): void {
    const element = scroller.value
    if (element && element.scrollHeight > element.clientHeight) isFollowing.value = false
  }

  function jump(): void {
    // What is marked would hold the reader back.
    if (isSelecting()) document.getSelection()?.removeAllRanges()
    isFollowing.value = true
    stay()
  }

  function onWheel(event: WheelEvent): void {
    if (event.deltaY < 0) leave()
  }

  function onTouchStart(event: TouchEvent): void {
    touchY = event.touches[0]?.clientY
  }

  function onTouchMove(event: TouchEvent): void {
    const y = event.touches[0]?.clientY
    if (y !== undefined && touchY !== undefined && y > touchY) leave()
    touchY = y
  }

  function onKeyDown(event: KeyboardEvent): void {
    const isInField = event.target instanceof HTMLElement && event.target.matches('input, textarea')
    if (isInField) return
    if (UP_KEYS.has(event.key) || (event.key === ' ' && event.shiftKey)) leave()
  }

  function onPointerDown(event: PointerEvent): void {
    const element = scroller.value
    if (!element || !(event.target instanceof Element)) return
    const isOnScrollbar = event.target === element && event.offsetX >= element.clientWidth
    // What the reader opens must stay where it is.
    const opens = event.target.closest('[aria-expanded="false"]') !== null
    if (isOnScrollbar || opens) leave()
  }

  /** Moving the focus upwards by keyboard brings older content into view: that is reading, too. */
  function onFocusIn(event: FocusEvent): void {
    const element = scroller.value
    if (!element || !(event.target instanceof HTMLElement) || event.target === element) return
    const { bottom } = event.target.getBoundingClientRect()
    if (bottom < element.getBoundingClientRect().top) leave()
  }

  /** Whether the reader has marked something, which must not run away. */
  function isSelecting(): boolean {
    const selection = document.getSelection()
    if (!selection || selection.isCollapsed) return false
    return content.value?.contains(selection.anchorNode) === true
  }

  function onScroll(): void {
    const element = scroller.value
    if (!element) return
    const wentDown = element.scrollTop > lastTop
    lastTop = element.scrollTop
    isAway.value = isFarFromEnd(element)
    if (!isFollowing.value && wentDown && !isAway.value && !isSelecting()) isFollowing.value = true
  }

  const passive = { passive: true }

  onMounted(() => {
    const element = scroller.value
    if (!element || !content.value) return
    element.addEventListener('wheel', onWheel, passive)
    element.addEventListener('touchstart', onTouchStart, passive)
    element.addEventListener('touchmove', onTouchMove, passive)
    element.addEventListener('scroll', onScroll, passive)
    element.addEventListener('keydown', onKeyDown)
    element.addEventListener('pointerdown', onPointerDown)
    element.addEventListener('focusin', onFocusIn)
    observer = new ResizeObserver(stay)
    observer.observe(content.value)
    observer.observe(element)
    stay()
  })

  // Listeners on the element go with it.
  onBeforeUnmount(() => observer?.disconnect())

  return { isFollowing, isAway, jump }
}
