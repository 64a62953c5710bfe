/** How many frames a list takes at most until it has measured what was put above. */
const FRAMES = 12
/** What a reader goes elsewhere by. */
const READER = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const

/**
 * Keeps the message at the top of the view where it is while others are put above it, whose heights are only known once
 * they are in the page. The reader who goes elsewhere meanwhile is left alone.
 *
 * @param list what the messages are in, as it is before they come
 * @param moved how far it has gone up already
 */
export async function keepPlace(
  list: Element,
  scroller: HTMLElement,
  moved: number,
): Promise<void> {
  const edge = scroller.getBoundingClientRect().top
  const first = messagesIn(list).find((one) => one.getBoundingClientRect().bottom + moved > edge)
  const id = first?.dataset['message']
  if (!first || id === undefined) return
  const place = first.getBoundingClientRect().top + moved
  const gone = new AbortController()
  for (const type of READER) {
    scroller.addEventListener(type, () => gone.abort(), { passive: true, signal: gone.signal })
  }
  for (let frame = 0; frame < FRAMES; frame += 1) {
    await new Promise(requestAnimationFrame)
    if (gone.signal.aborted) return
    const now = messagesIn(list).find(({ dataset }) => dataset['message'] === id)
    const off = now ? now.getBoundingClientRect().top - place : 0
    if (Math.abs(off) >= 1) scroller.scrollTop += off
  }
  gone.abort()
}

function messagesIn(list: Element): HTMLElement[] {
  return [...list.querySelectorAll<HTMLElement>('li[data-message]')]
}
