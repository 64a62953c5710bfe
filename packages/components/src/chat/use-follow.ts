import { computed, nextTick, onBeforeUnmount, onMounted, ref, watch } from 'vue'
import type { ComputedRef, Ref } from 'vue'
import { SIZE_EVENT } from '../context/size-event.ts'
import { isFillingIn, mostForCard, showForm } from './focused-card.ts'
import { watchReader } from './reading-intent.ts'
import { createScrollSpace, type ScrollSpace } from './scroll-space.ts'

/** How near to the end counts as the end, in pixels. */
const END_PX = 24
/** Lists that leave out messages keep their place themselves. */
const STRETCHES = '[data-slot="list"] > [data-slot="stretch"]'
/** How many frames a list that leaves out messages takes at most to bring one back. */
const FRAMES = 10

/**
 * What becomes of the view while messages come:
 * - `follow`: their end stays in view until the reader goes elsewhere
 * - `anchor-turn`: a message that is sent goes to the top, and the answer grows below it in peace
 * - `off`: nothing
 */
export type ScrollMode = 'follow' | 'anchor-turn' | 'off'

/** Where the view is, and how to get to the end. */
export interface Follow {
  /** Whether the end is kept in view. */
  readonly isFollowing: Readonly<Ref<boolean>>
  /** Whether the end is out of view. */
  readonly isAway: Readonly<Ref<boolean>>
  /** How many messages came that the reader has not been near. */
  readonly newCount: ComputedRef<number>
  /** Goes to the end and, where the mode follows, stays there. */
  jump(): void
  /** A message of the reader is on its way into the list. */
  sent(): void
}

/** What {@link useFollow} is to follow. */
export interface FollowOptions {
  readonly scroller: Readonly<Ref<HTMLElement | null>>
  /** What is in it; its last element ends where the reading ends. */
  readonly column: Readonly<Ref<HTMLElement | null>>
  readonly messageIds: () => readonly string[]
  readonly mode: () => ScrollMode
  /** The card of the last message that waits and is not to leave the view. */
  readonly card: () => Element | null | undefined
}

/**
 * Follows the end of messages inside a scroller, by the reader's intent. Reaching the end by scrolling
 * down follows again. What is opened or closed stays where it is, and so does what is read while older
 * messages are put above it, or while text is selected.
 */
export function useFollow({ scroller, column, messageIds, mode, card }: FollowOptions): Follow {
  const isFollowing = ref(mode() === 'follow')
  const isAway = ref(false)
  /** The last message that the reader was near. */
  const seenId = ref<string>()
  let observer: ResizeObserver | undefined
  let frame = 0
  let space: ScrollSpace | undefined
  let lastTop = 0
  /** The next scroll event only tells of what was done here. */
  let isOwnScroll = false
  /** There is space below a form for now. */
  let hasFormRoom = false
  /** The reader's last message when another one was sent that is not in the list yet. */
  let formerOwn: Element | undefined | null = null

  const newCount = computed(() => {
    const ids = messageIds()
    const seen = seenId.value === undefined ? -1 : ids.lastIndexOf(seenId.value)
    return isAway.value && seen >= 0 ? ids.length - 1 - seen : 0
  })

  /** Before the first message there is no end to be at: what stands there is read from its beginning. */
  function hasEnd(): boolean {
    return messageIds().length > 0
  }

  function look(): void {
    isAway.value = hasEnd() && (space?.distance() ?? 0) > END_PX
    // Whoever follows and is not at the end is held by a card of the last message.
    if (!isAway.value || isFollowing.value) seenId.value = messageIds().at(-1)
  }

  /**
   * To the end, as far as the first card that waits stays in view; unless the reader is at a form: that
   * stays where it is, also while it gets shorter.
   */
  function goOn(element: HTMLElement): void {
    if (!isFillingIn(column.value)) {
      if (hasFormRoom) space?.reach(undefined)
      hasFormRoom = false
      const most = Math.max(element.scrollTop, mostForCard(element, card()))
      element.scrollTop = Math.min(element.scrollHeight, most)
    } else if (element.scrollTop < lastTop) {
      hasFormRoom = true
      space?.reach(lastTop)
      element.scrollTop = lastTop
    }
  }

  function stay(): void {
    const element = scroller.value
    if (!element) return
    if (isSelecting()) leave()
    // At once: a smooth scroll is never done while the content grows on.
    const follows = isFollowing.value && hasEnd()
    if (follows) goOn(element)
    const { scrollTop } = element
    isOwnScroll = follows && scrollTop !== lastTop
    lastTop = scrollTop
    const wasAway = isAway.value
    look()
    // The way to the end takes a row from the view, at whose end a form may have been opened.
    if (isAway.value && !wasAway) void nextTick(() => showForm(column.value))
  }

  /**
   * A list that leaves out messages gets its height while sizes are being reported. Whatever is around it
   * would be reported a frame late, and with an error event on the page.
   */
  function onListSize(): void {
    stay()
    const content = column.value
    if (!content) return
    observer?.unobserve(content)
    cancelAnimationFrame(frame)
    frame = requestAnimationFrame(() => observer?.observe(content))
  }

  function leave(): void {
    const element = scroller.value
    if (element && element.scrollHeight > element.clientHeight) isFollowing.value = false
  }

  function jump(): void {
    const element = scroller.value
    if (!element) return
    // What is marked would hold the reader back.
    if (isSelecting()) document.getSelection()?.removeAllRanges()
    space?.reach(undefined)
    isFollowing.value = mode() === 'follow'
    element.scrollTop = element.scrollHeight
    stay()
  }

  /** A history is opened at its end; it has its height only when it was laid out. */
  async function openAtEnd(): Promise<void> {
    isFollowing.value = true
    for (let frame = 0; frame < FRAMES && isFollowing.value; frame += 1) {
      await new Promise(requestAnimationFrame)
    }
    if (mode() !== 'follow') isFollowing.value = false
  }

  function sent(): void {
    if (mode() === 'follow') void nextTick(jump)
    if (mode() !== 'anchor-turn') return
    isFollowing.value = false
    formerOwn = lastOwn()
  }

  function lastOwn(): Element | undefined {
    const own = column.value?.querySelectorAll('[data-role="user"]')
    return own?.[own.length - 1]?.closest('[data-slot="item"]') ?? undefined
  }

  /** The message that was sent goes to the top of the view. */
  async function anchor(): Promise<void> {
    const element = scroller.value
    if (!element) return
    await nextTick()
    // A list that leaves out messages needs to be where this one is before it is there.
    const frames = column.value?.querySelector(STRETCHES) ? 0 : FRAMES
    for (let frame = 0; frame < frames && lastOwn() === formerOwn; frame += 1) {
      element.scrollTop = element.scrollHeight
      await new Promise(requestAnimationFrame)
    }
    const last = lastOwn()
    formerOwn = null
    if (!last) return
    const { top } = last.getBoundingClientRect()
    const target = Math.max(element.scrollTop + top - element.getBoundingClientRect().top, 0)
    space?.reach(target)
    element.scrollTop = target
    stay()
  }

  /** Keeps an element where it is in the view, whatever happens above and below it. */
  async function hold(held: Element, change: Promise<unknown>): Promise<void> {
    const element = scroller.value
    if (!element) return
    const before = held.getBoundingClientRect().top
    await change
    if (!held.isConnected) return
    const moved = held.getBoundingClientRect().top - before
    const top = element.scrollTop + moved
    // What closes at the end leaves too little below it to keep it in its place.
    if (top > element.scrollHeight - element.clientHeight) space?.reach(top)
    if (moved !== 0) element.scrollTop = top
    lastTop = element.scrollTop
    look()
  }

  function onToggle(toggle: Element): void {
    if (mode() === 'off') return
    leave()
    void hold(toggle, nextTick())
  }

  /** Whether the reader has marked something, which must not run away. */
  function isSelecting(): boolean {
    const selection = document.getSelection()
    if (!selection || selection.isCollapsed) return false
    return column.value?.contains(selection.anchorNode) === true
  }

  function onScroll(): void {
    const element = scroller.value
    const isKnown = isOwnScroll && isFollowing.value
    isOwnScroll = false
    // To ask where the view is would make the page be laid out before what comes in this frame.
    if (!element || isKnown) return
    const moved = element.scrollTop - lastTop
    lastTop = element.scrollTop
    if (mode() === 'follow') space?.trim()
    look()
    // By what no event tells of, such as the browser's search; what got shorter is still at its end.
    if (moved < 0 && isAway.value) leave()
    const isBack = mode() === 'follow' && moved > 0 && !isAway.value && !isSelecting()
    if (!isFollowing.value && isBack) isFollowing.value = true
  }

  onMounted(() => {
    const [element, content] = [scroller.value, column.value]
    if (!element || !content) return
    space = createScrollSpace(element, content)
    seenId.value = messageIds().at(-1)
    watchReader(element, () => lastTop, leave, onToggle)
    element.addEventListener('scroll', onScroll, { passive: true })
    element.addEventListener(SIZE_EVENT, onListSize)
    observer = new ResizeObserver(stay)
    observer.observe(content)
    observer.observe(element)
    // It may grow inside of the space that is kept for it.
    for (const child of content.children) observer.observe(child)
    if (mode() === 'anchor-turn') void openAtEnd()
    stay()
  })

  watch(messageIds, (ids, before) => {
    const [first] = before
    const isPrepended = first !== undefined && ids[0] !== first && ids.includes(first)
    const reading = isPrepended && !isFollowing.value && firstInView()
    if (reading) void hold(reading, nextTick())
    if (formerOwn !== null && ids.length > before.length) void anchor()
  })
  watch(mode, (now) => {
    isFollowing.value = now === 'follow' && !isAway.value
    space?.reach(undefined)
  })

  /** The message at the top of the view. */
  function firstInView(): Element | undefined {
    const edge = scroller.value?.getBoundingClientRect().top ?? 0
    const reaches = (element: Element): boolean => element.getBoundingClientRect().bottom > edge
    // To look into a stretch that is left out of the layout would lay it out.
    const stretch = [...(column.value?.querySelectorAll(STRETCHES) ?? [])].find(reaches)
    return [...(stretch?.children ?? [])].find(reaches)
  }

  onBeforeUnmount(() => {
    observer?.disconnect()
    cancelAnimationFrame(frame)
  })

  return { isFollowing, isAway, newCount, jump, sent }
}
