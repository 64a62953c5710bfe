/** Empty space below what there is to read, so that the view can stay where it is. */
export interface ScrollSpace {
  /** Makes it possible to scroll that far; `undefined` takes the space away. */
  reach(top: number | undefined): void
  /** How far the end of what there is to read is below the view, in pixels; negative: above it. */
  distance(): number
  /** Gives back what is not needed where the reader is now. */
  trim(): void
}

/** @param column what scrolls; its last element ends where the reading ends */
export function createScrollSpace(scroller: HTMLElement, column: HTMLElement): ScrollSpace {
  let reached: number | undefined

  function reach(top: number | undefined): void {
    reached = top
    column.style.minBlockSize =
      top === undefined ? '' : `${Math.ceil(top + scroller.clientHeight)}px`
  }

  return {
    reach,
    distance() {
      const { scrollHeight, scrollTop, clientHeight } = scroller
      const last = column.lastElementChild
      if (reached === undefined || !last) return scrollHeight - scrollTop - clientHeight
      const padding = Number.parseFloat(getComputedStyle(column).paddingBlockEnd)
      return last.getBoundingClientRect().bottom + padding - scroller.getBoundingClientRect().bottom
    },
    trim() {
      if (reached === undefined || scroller.scrollTop >= reached) return
      reach(scroller.scrollTop > 0 ? scroller.scrollTop : undefined)
    },
  }
}
