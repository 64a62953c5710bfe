import { ref, watch, type Ref, type ShallowRef } from 'vue'
import type { AskMode } from './use-ask-mode.ts'

/** What a form may be higher than the buttons for its height to be kept, in pixels. */
const KEPT_PX = 64

/**
 * The height that the foot of a card keeps when its buttons become a receipt or a strip, so that
 * nothing moves: that of what was there, or of the buttons where that was a tall form.
 */
export function useHeldHeight(options: {
  foot: Readonly<ShallowRef<HTMLElement | null>>
  mode: Readonly<Ref<AskMode>>
  /** Whether the foot is still that of an open question. */
  isShown: () => boolean
  /** What comes after has moved up, perhaps under the pointer. */
  onMoved: () => void
}): { height: Readonly<Ref<number | undefined>> } {
  const { foot, mode, isShown, onMoved } = options
  const height = ref<number>()
  let buttons = 0

  // Not offsetHeight: a rounded height would move all below by a fraction of a pixel.
  const heightNow = (): number => foot.value?.getBoundingClientRect().height ?? 0

  watch(mode, (_, former) => {
    if (former === 'asking') buttons = heightNow()
  })
  watch(isShown, (isStillShown) => {
    if (isStillShown) {
      height.value = undefined
      return
    }
    const now = heightNow()
    const isTall = mode.value === 'editing' || (mode.value !== 'asking' && now > buttons + KEPT_PX)
    height.value = isTall ? buttons : now
    if (isTall) onMoved()
  })
  return { height }
}
