import { shallowReactive, shallowRef, type ShallowRef } from 'vue'
import { bareSpans } from './bare-spans.ts'
import { foldedLines, hiddenInside, noteReached } from './hidden-inside.ts'
import { addSpan, coversAll, firstGap, type Span } from './spans.ts'

/** Where what was not shown yet is: above or below what is in view, or below or beside it inside of a box. */
export type Rest = 'above' | 'below' | 'inside' | 'aside'

/** A card or row that shows a question, as far as it was looked at. */
export interface Reviewed {
  /** Where the rest is; `undefined` when all of it was on the screen, or none yet. */
  readonly rest: Readonly<ShallowRef<Rest | undefined>>
  /** How many lines are folded of what was on the screen apart from them; else 0. */
  readonly folded: Readonly<ShallowRef<number>>
  /** Scrolls to what was not shown yet. */
  showRest(): void
  /** Looks at it no longer. */
  stop(): void
}

/**
 * What a person was shown of the questions on a page, and so what may be approved. Cards, the tray and
 * panels of apps go by this alone.
 *
 * Shown is what was on the screen with nothing over it, from its beginning to its end, also one piece
 * after the other: what is below a foot or the tray, behind a dialog, clipped, or to be scrolled to inside
 * of a box is not.
 */
export interface Review {
  /** Questions, by `questionKey`, that were shown in full. */
  readonly whole: ReadonlySet<string>
  /** Those whose card is out of view now. */
  readonly away: ReadonlySet<string>
  /** Looks at what shows a question for as long as that is there. */
  watch(element: HTMLElement, question: string, isCard: boolean): Reviewed
  /** The question is answered. */
  forget(question: string): void
}

interface Target {
  readonly question: string
  /** A card in the conversation; else a row. */
  readonly isCard: boolean
  readonly rest: ShallowRef<Rest | undefined>
  readonly folded: ShallowRef<number>
  isIntersecting: boolean
  /** What of it was bare so far, and how high it was then. */
  spans: readonly Span[]
  height: number
  /** Where in the page what is bare of it ends now. */
  end: number
}

/** How much of a card must be in view for it to be within sight, in pixels. */
const IN_SIGHT_PX = 96
/** How often what is in view is looked at again: nothing tells when what lay over it goes. */
const AGAIN_MS = 250

/** Needed once a button is pressed too early, and there by then. */
const loadShowRest = () => import('./show-rest.ts')

export function createReview(): Review {
  const whole = shallowReactive(new Set<string>())
  const away = shallowReactive(new Set<string>())
  const targets = new Map<Element, Target>()
  let observer: IntersectionObserver | undefined
  let frame = 0
  let timer: ReturnType<typeof setInterval> | undefined

  function read(entries: readonly IntersectionObserverEntry[]): void {
    for (const entry of entries) {
      const target = targets.get(entry.target)
      if (!target) continue
      target.isIntersecting = entry.isIntersecting
      if (target.isCard) noteSight(target, entry)
      if (!whole.has(target.question)) look(target, entry)
    }
  }

  function noteSight({ question }: Target, entry: IntersectionObserverEntry): void {
    const enough = Math.min(IN_SIGHT_PX, entry.boundingClientRect.height / 2)
    if (entry.isIntersecting && entry.intersectionRect.height >= enough) away.delete(question)
    else away.add(question)
  }

  /** Adds what is bare now to what was before. */
  function look(target: Target, entry: IntersectionObserverEntry): void {
    const { target: element, intersectionRect: clip } = entry
    if (!entry.isIntersecting || document.visibilityState === 'hidden') return
    const box = element.getBoundingClientRect()
    const isLate = Math.abs(box.top - entry.boundingClientRect.top) > 1
    if (isLate) return lookAgain()
    const [from, to] = contentOf(element, box)
    if (Math.abs(to - from - target.height) > 1) target.spans = []
    target.height = to - from
    const page = element.getRootNode()
    if (isPage(page) && isWideEnough(clip, box)) {
      const foot = element.querySelector('.as-ask-foot')
      const isBare = (top: Element): boolean => element.contains(top) && !foot?.contains(top)
      const { left, right } = clip
      const area = { top: Math.max(clip.top, from), bottom: Math.min(clip.bottom, to), left, right }
      const bare = bareSpans(page, area, from, isBare)
      target.spans = bare.reduce(addSpan, target.spans)
      target.end = from + (bare.at(-1)?.[1] ?? clip.bottom - from)
    }
    judge(target, element, clip.top - from)
  }

  /** @param from the beginning of what is in view */
  function judge(target: Target, element: Element, from: number): void {
    const { question, spans, height } = target
    const isCovered = coversAll(spans, height)
    const hidden = hiddenInside(element)
    if (isCovered && hidden === undefined) whole.add(question)
    target.folded.value = isCovered && hidden === 'folded' ? foldedLines(element) : 0
    if (hidden === 'loading') target.rest.value = undefined
    else if (isCovered) target.rest.value = hidden === 'folded' ? 'inside' : hidden
    else target.rest.value = firstGap(spans, height)[0] < from ? 'above' : 'below'
  }

  /** An observer tells what is clipped where, but nothing while a tall card passes by: asked again. */
  function lookAgain(): void {
    frame ||= requestAnimationFrame(() => {
      frame = 0
      for (const [element, target] of targets) {
        if (!target.isIntersecting || whole.has(target.question)) continue
        observer?.unobserve(element)
        observer?.observe(element)
      }
    })
  }

  function onScroll({ target }: Event): void {
    if (target instanceof Element) noteReached(target)
    lookAgain()
  }

  function begin(): void {
    observer ??= new IntersectionObserver(read, { threshold: [0, 0.25, 0.5, 0.75, 1] })
    if (timer !== undefined) return
    void loadShowRest().catch(() => {})
    timer = setInterval(lookAgain, AGAIN_MS)
    document.addEventListener('scroll', onScroll, { capture: true, passive: true })
    window.addEventListener('resize', lookAgain)
  }

  function end(): void {
    clearInterval(timer)
    timer = undefined
    cancelAnimationFrame(frame)
    frame = 0
    document.removeEventListener('scroll', onScroll, { capture: true })
    window.removeEventListener('resize', lookAgain)
  }

  return {
    whole,
    away,
    watch(element, question, isCard) {
      begin()
      const refs = { rest: shallowRef<Rest>(), folded: shallowRef(0) }
      const fresh = { isIntersecting: false, spans: [], height: -1, end: innerHeight }
      const target: Target = { question, isCard, ...refs, ...fresh }
      targets.set(element, target)
      observer?.observe(element)
      return {
        ...refs,
        showRest() {
          const [start] = contentOf(element, element.getBoundingClientRect())
          const [from, to] = firstGap(target.spans, target.height)
          // Where its code cannot be had, a person scrolls.
          void loadShowRest().then(
            ({ scrollToRest }) => scrollToRest(element, [start + from, start + to], target.end),
            () => {},
          )
        },
        stop() {
          if (targets.get(element) !== target) return
          observer?.unobserve(element)
          targets.delete(element)
          away.delete(question)
          if (targets.size === 0) end()
        },
      }
    },
    forget(question) {
      whole.delete(question)
    },
  }
}

/** From where to where something is to be read, in pixels from the top of the page. */
function contentOf(element: Element, box: DOMRectReadOnly): Span {
  const head = element.querySelector('.as-ask-head')?.getBoundingClientRect()
  const evidence = element.querySelector('.as-ask-evidence')?.getBoundingClientRect()
  return [head?.top ?? box.top, evidence?.bottom ?? box.bottom]
}

function isPage(root: Node): root is Node & DocumentOrShadowRoot {
  return 'elementFromPoint' in root
}

/** A card is read by its whole width, or by as much of that as the page is wide. */
function isWideEnough(clip: DOMRectReadOnly, box: DOMRectReadOnly): boolean {
  return clip.width >= Math.min(box.width, document.documentElement.clientWidth) - 4
}
