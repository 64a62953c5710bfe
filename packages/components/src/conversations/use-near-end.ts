import { onBeforeUnmount, watch, type Ref } from 'vue'

/** How near to the view counts as near, in pixels. */
const NEAR_PX = 400

/** Calls `onNear` when the end of a scroller comes near to its view, and again for as long as it is. */
export function useNearEnd(
  scroller: Readonly<Ref<HTMLElement | null>>,
  end: Readonly<Ref<HTMLElement | null>>,
  onNear: () => void,
): void {
  let observer: IntersectionObserver | undefined
  watch(
    end,
    (now) => {
      observer?.disconnect()
      if (!now) return
      const options = { root: scroller.value, rootMargin: `${NEAR_PX}px` }
      observer = new IntersectionObserver((entries) => {
        // A busy page is told of several changes at once; the last one is how it is.
        if (!entries.at(-1)?.isIntersecting) return
        onNear()
        // It tells of changes only: more may fit in than has come.
        observer?.unobserve(now)
        observer?.observe(now)
      }, options)
      observer.observe(now)
    },
    { flush: 'post' },
  )
  onBeforeUnmount(() => observer?.disconnect())
}
