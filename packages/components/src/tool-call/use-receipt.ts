import { nextTick, onBeforeUnmount, ref, watch, type Ref } from 'vue'

/** Milliseconds that a receipt stays at least before its card folds to a line. */
const RECEIPT_MS = 1_200

/**
 * Whether a card that asked still stands in its place as a receipt. It does from the decision until no
 * card waits any more and the receipt could be read: nothing moves under the reader's pointer.
 */
export function useReceipt(options: {
  isAsking: () => boolean
  /** How many cards still wait, or have something left to be read. */
  openCount: () => number
  /** Called after the card has become a line. */
  onFolded: (hadFocus: boolean) => void
  element: () => HTMLElement | null
}): Readonly<Ref<boolean>> {
  const isReceipt = ref(false)
  let timer: ReturnType<typeof setTimeout> | undefined

  async function fold(): Promise<void> {
    const hadFocus = options.element()?.contains(document.activeElement) === true
    isReceipt.value = false
    await nextTick()
    options.onFolded(hadFocus)
  }

  watch(options.isAsking, (isAsking, wasAsking) => {
    isReceipt.value = wasAsking && !isAsking
  })
  watch([isReceipt, options.openCount], () => {
    clearTimeout(timer)
    if (isReceipt.value && options.openCount() === 0) timer = setTimeout(fold, RECEIPT_MS)
  })
  onBeforeUnmount(() => clearTimeout(timer))
  return isReceipt
}
