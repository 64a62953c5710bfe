import { useEventListener } from '@vueuse/core'
import { onBeforeUnmount, onMounted, shallowReactive, watch } from 'vue'
import { addSpan, coversAll, type Span } from './spans.ts'

/** Where a call is shown. */
interface Target {
  readonly key: string
  /** A card in the conversation; else a row. */
  readonly isCard: boolean
  isIntersecting: boolean
  /** What of it was in view so far, and how high it was then. */
  spans: readonly Span[]
  height: number
}

/** Which calls a person has been shown. */
export interface Seen {
  /** Those whose card or row was in view from its beginning to its end. */
  readonly seen: ReadonlySet<string>
  /** Those whose card is not in view now. */
  readonly away: ReadonlySet<string>
}

/** How much of a card must be in view for it to be within sight, in pixels. */
const IN_SIGHT_PX = 96
const SCROLLING = /auto|scroll/
const SHOWN = ':is([data-slot="evidence"], [data-slot="preview"])'
const EVIDENCE = `${SHOWN}, ${SHOWN} *`

/**
 * Watches cards and rows, by the key of their call, for as long as the component is there.
 *
 * A call is seen when every line of it was on the screen, also one after the other: what is below the
 * cover, folded, or to be scrolled to inside of it is not.
 *
 * @param cover what lies over the cards
 */
export function useSeen(
  cards: () => ReadonlyMap<string, HTMLElement>,
  rows: () => ReadonlyMap<string, HTMLElement>,
  cover: () => HTMLElement | null,
): Seen {
  const seen = shallowReactive(new Set<string>())
  const away = shallowReactive(new Set<string>())
  const targets = new Map<Element, Target>()
  /** How far boxes that scroll inside of a card were scrolled. */
  const reached = new WeakMap<Element, { bottom: number; side: number }>()
  let observer: IntersectionObserver | undefined
  let frame = 0

  function read(entries: readonly IntersectionObserverEntry[]): void {
    for (const entry of entries) {
      const target = targets.get(entry.target)
      if (!target) continue
      target.isIntersecting = entry.isIntersecting
      const { height } = entry.boundingClientRect
      if (target.isCard) {
        const isInSight = entry.intersectionRect.height >= Math.min(IN_SIGHT_PX, height / 2)
        if (isInSight && entry.isIntersecting) away.delete(target.key)
        else away.add(target.key)
      }
      if (!seen.has(target.key) && isWholeSeen(target, entry)) seen.add(target.key)
    }
  }

  function isWholeSeen(target: Target, entry: IntersectionObserverEntry): boolean {
    const { boundingClientRect: box, intersectionRect: clip, target: element } = entry
    if (!entry.isIntersecting || document.visibilityState === 'hidden') return false
    const { top } = element.getBoundingClientRect()
    // The buttons of a card stick to the end of the view, over what comes below.
    const foot = element.querySelector('.as-ask-foot')?.getBoundingClientRect()
    const lid = target.isCard ? cover()?.getBoundingClientRect() : undefined
    const end = Math.min(
      clip.bottom - box.top,
      foot ? foot.top - top : Infinity,
      lid && lid.height > 0 ? lid.top - box.top : Infinity,
    )
    const height = box.height - (foot?.height ?? 0)
    if (Math.abs(height - target.height) > 1) target.spans = []
    target.height = height
    const from = clip.top - box.top
    if (end > from) target.spans = addSpan(target.spans, [from, end])
    return coversAll(target.spans, height) && !hidesSome(element)
  }

  /** Whether evidence is folded, or in a box that was not scrolled to its end. */
  function hidesSome(element: Element): boolean {
    const inside = [...element.querySelectorAll(EVIDENCE)]
    return inside.some((part) => {
      if (part.hasAttribute('data-folded')) return true
      const { scrollHeight, clientHeight, scrollWidth, clientWidth } = part
      const isTall = scrollHeight - clientHeight > 2
      const isWide = scrollWidth - clientWidth > 2
      if (!isTall && !isWide) return false
      const { overflowX, overflowY } = getComputedStyle(part)
      const { bottom = clientHeight, side = clientWidth } = reached.get(part) ?? {}
      return (
        (isTall && SCROLLING.test(overflowY) && scrollHeight - bottom > 2) ||
        (isWide && SCROLLING.test(overflowX) && scrollWidth - side > 2)
      )
    })
  }

  /** An observer tells what is clipped where, but nothing while a tall card passes by: asked again. */
  function readAnew(): void {
    frame ||= requestAnimationFrame(() => {
      frame = 0
      for (const [element, target] of targets) {
        if (!target.isIntersecting || seen.has(target.key)) continue
        observer?.unobserve(element)
        observer?.observe(element)
      }
    })
  }

  function onScroll({ target }: Event): void {
    if (targets.size === 0) return
    if (target instanceof Element) {
      const former = reached.get(target)
      reached.set(target, {
        bottom: Math.max(former?.bottom ?? 0, target.scrollTop + target.clientHeight),
        // Negative where text runs from right to left
        side: Math.max(former?.side ?? 0, Math.abs(target.scrollLeft) + target.clientWidth),
      })
    }
    readAnew()
  }

  function follow(maps: readonly [ReadonlyMap<string, HTMLElement>, boolean][]): void {
    const wanted = new Map<Element, [key: string, isCard: boolean]>()
    for (const [map, isCard] of maps) {
      for (const [key, element] of map) wanted.set(element, [key, isCard])
    }
    for (const [element, { key }] of targets) {
      if (wanted.get(element)?.[0] === key) continue
      observer?.unobserve(element)
      targets.delete(element)
      away.delete(key)
    }
    for (const [element, [key, isCard]] of wanted) {
      if (targets.has(element)) continue
      targets.set(element, { key, isCard, isIntersecting: false, spans: [], height: -1 })
      observer?.observe(element)
    }
  }

  onMounted(() => {
    observer = new IntersectionObserver(read, { threshold: [0, 0.25, 0.5, 0.75, 1] })
    watch(
      () => [new Map(cards()), new Map(rows())] as const,
      ([inChat, inTray]) => {
        follow([
          [inChat, true],
          [inTray, false],
        ])
      },
      { immediate: true, flush: 'post' },
    )
    useEventListener(document, 'scroll', onScroll, { capture: true, passive: true })
    useEventListener(window, 'resize', readAnew)
  })
  onBeforeUnmount(() => {
    observer?.disconnect()
    cancelAnimationFrame(frame)
  })

  return { seen, away }
}
