/** What of a card a person could have seen, by the page itself and by nothing that the kit notes. */
export interface CardWatch {
  readonly hasSeenSentence: boolean
  readonly hasSeenEnd: boolean
  /** What was wrong in some frame. */
  readonly faults: readonly string[]
  /** How far things moved by themselves since the last time. */
  takeShift(): number
  stop(): void
}

interface LayoutShift extends PerformanceEntry {
  readonly value: number
}

/** In how many frames something is covered before it counts: what comes makes its room in the next one. */
const LASTING = 3

/** Looks at a card in every frame. */
export function watchCard(card: () => Element | null): CardWatch {
  const faults = new Set<string>()
  const covered = new Map<Element, number>()
  let hasSeenSentence = false
  let hasSeenEnd = false
  let isOn = true
  let shift = 0
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) shift += (entry as LayoutShift).value
  })
  observer.observe({ type: 'layout-shift' })

  function look(): void {
    if (!isOn) return
    const element = card()
    if (element?.isConnected) {
      const approve = element.querySelector<HTMLElement>('[data-slot="approve"]')
      const isArmed = approve !== null && approve.ariaDisabled !== 'true'
      // Its size is named, in whatever language.
      const isUnread = /\d/.test(approve?.textContent ?? '')
      // What is shown in this frame counts for the next one.
      if (isArmed && !hasSeenSentence) faults.add('armed before the sentence was seen')
      if (isArmed && !hasSeenEnd && !isUnread) faults.add('armed before the end was seen')
      if (isUnread && element.matches('[data-risk="destroy"]')) faults.add('destroys unread')
      const title = element.querySelector('[data-slot="title"]')
      const lines = linesOf(element.querySelector('.as-ask-evidence'))
      hasSeenSentence ||= title !== null && isBare(linesOf(title)[0], element)
      hasSeenEnd ||= isBare(lines.at(-1), element) && !element.querySelector('[data-folded]')
      for (const button of element.querySelectorAll('.as-ask-foot button')) {
        const over = coverOf(button, element)
        const count = over ? (covered.get(button) ?? 0) + 1 : 0
        covered.set(button, count)
        if (count >= LASTING) faults.add(`${button.textContent.trim()} lies below ${over}`)
      }
    }
    requestAnimationFrame(look)
  }
  requestAnimationFrame(look)

  return {
    get hasSeenSentence() {
      return hasSeenSentence
    },
    get hasSeenEnd() {
      return hasSeenEnd
    },
    get faults() {
      return [...faults]
    },
    takeShift() {
      for (const entry of observer.takeRecords()) shift += (entry as LayoutShift).value
      const taken = shift
      shift = 0
      return taken
    },
    stop() {
      isOn = false
      observer.disconnect()
    },
  }
}

/** Where the lines of a text are, in order. */
function linesOf(element: Element | null): DOMRect[] {
  if (!element) return []
  const range = document.createRange()
  range.selectNodeContents(element)
  return [...range.getClientRects()].filter(({ width, height }) => width > 0 && height > 4)
}

/** Whether the beginning of a line is on top of all else, and no foot that sticks. */
function isBare(line: DOMRect | undefined, card: Element): boolean {
  if (!line) return false
  const isMirrored = getComputedStyle(card).direction === 'rtl'
  const x = isMirrored ? line.right - 2 : line.left + 2
  const top = document.elementFromPoint(x, (line.top + line.bottom) / 2)
  return top !== null && card.contains(top) && top.closest('.as-ask-foot') === null
}

/** What lies over a button where it is not clipped. */
function coverOf(button: Element, card: Element): string | undefined {
  const box = button.getBoundingClientRect()
  const frame = card.closest('[data-slot="scroller"]')?.getBoundingClientRect()
  const x = (box.left + box.right) / 2
  const y = (box.top + box.bottom) / 2
  // What is at the very edge is clipped by a rounding.
  if (box.width === 0 || !frame || y < frame.top + 2 || y > frame.bottom - 2) return undefined
  const top = document.elementFromPoint(x, y)
  if (!top || button.contains(top) || top.contains(button)) return undefined
  return top.closest('[class]')?.className ?? top.tagName
}
