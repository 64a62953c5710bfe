import { onBeforeUnmount, onMounted, watch, type Ref } from 'vue'

/**
 * Makes a field as high as its text, up to a limit in pixels; from there on it scrolls. Written here
 * because the one of the library brings four times as much code into what is loaded at once.
 */
export function useAutosize(
  field: Readonly<Ref<HTMLTextAreaElement | null>>,
  text: () => string,
  maxHeight: () => number,
): void {
  let observer: ResizeObserver | undefined
  let width = 0
  let frame = 0

  function fit(): void {
    const element = field.value
    if (!element) return
    width = element.offsetWidth
    element.style.height = 'auto'
    const { scrollHeight } = element
    element.style.height = `${Math.min(scrollHeight, maxHeight())}px`
    element.style.overflowY = scrollHeight > maxHeight() ? 'auto' : 'hidden'
  }

  watch([text, maxHeight], fit, { flush: 'post' })
  onMounted(() => {
    fit()
    // Another width breaks the lines elsewhere; the height is what it changes itself.
    observer = new ResizeObserver(() => {
      // In the next frame: it must not change what is being observed.
      if (field.value?.offsetWidth !== width) frame = requestAnimationFrame(fit)
    })
    if (field.value) observer.observe(field.value)
  })
  onBeforeUnmount(() => {
    observer?.disconnect()
    cancelAnimationFrame(frame)
  })
}
