import { computed, inject, onBeforeUnmount, onMounted, provide, shallowRef } from 'vue'
import type { ComputedRef, InjectionKey, ShallowRef } from 'vue'
import { createReview, type Review } from '../review/review.ts'
import { createCallBoard, type CallBoard } from './call-board.ts'

/** A card that asks, or did until a moment ago. */
export interface Ask {
  readonly element: Readonly<ShallowRef<HTMLElement | null>>
  /** Whether it still waits for its decision. */
  readonly isOpen: Readonly<{ value: boolean }>
  /** Takes the focus from a card that was just decided. */
  takeFocus(): void
  /** Its buttons take no click for a moment, because they have moved. */
  arm(): void
}

/** All cards that ask in one list, in the order of the page, and what is shared about their calls. */
export interface AskBoard extends CallBoard {
  /** What was shown of them. */
  readonly review: Review
  readonly asks: Readonly<ShallowRef<readonly Ask[]>>
  /** Those that wait. */
  readonly open: ComputedRef<readonly Ask[]>
  /** The one that keys act on: the one with the focus, else the first that waits. */
  readonly active: ComputedRef<Ask | undefined>
  readonly focused: ShallowRef<Ask | undefined>
  /** The key that goes to the next card that waits; empty while there is none. */
  readonly nextKey: ShallowRef<string>
  add(ask: Ask): void
  remove(ask: Ask): void
}

const boardKey: InjectionKey<AskBoard> = Symbol('assent asks')

function createAskBoard(): AskBoard {
  const asks = shallowRef<readonly Ask[]>([])
  const focused = shallowRef<Ask>()
  const open = computed(() => asks.value.filter((ask) => ask.isOpen.value))
  return {
    ...createCallBoard(),
    review: createReview(),
    asks,
    focused,
    open,
    nextKey: shallowRef(''),
    active: computed(() => (focused.value?.isOpen.value ? focused.value : open.value[0])),
    add(ask) {
      asks.value = [...asks.value, ask].sort(inPageOrder)
    },
    remove(ask) {
      asks.value = asks.value.filter((other) => other !== ask)
      if (focused.value === ask) focused.value = undefined
    },
  }
}

/**
 * The board of the list above; a new one, shared with all below, where there is none. For pages that
 * put bubbles and an approval tray together themselves: called above both, it makes them act as one.
 */
export function provideAskBoard(): AskBoard {
  const board = inject(boardKey, createAskBoard, true)
  provide(boardKey, board)
  return board
}

/** One card's place on the board. */
export interface AskPlace {
  readonly board: AskBoard
  readonly self: Ask
  readonly isActive: ComputedRef<boolean>
  /** Among those that wait, from 1; 0 for one that does not. */
  readonly position: ComputedRef<number>
  readonly total: ComputedRef<number>
  /** The next card that waits, after this one and then from the top. */
  next(): Ask | undefined
}

/** Puts a card on the board for as long as it is mounted. */
export function useAsk(ask: Ask): AskPlace {
  const board = inject(boardKey, createAskBoard, true)
  onMounted(() => board.add(ask))
  onBeforeUnmount(() => board.remove(ask))
  return {
    board,
    self: ask,
    isActive: computed(() => board.active.value === ask),
    position: computed(() => board.open.value.indexOf(ask) + 1),
    total: computed(() => board.open.value.length),
    next() {
      const { value: asks } = board.asks
      const index = asks.indexOf(ask)
      const after = [...asks.slice(index + 1), ...asks.slice(0, index)]
      return after.find((other) => other.isOpen.value)
    },
  }
}

function inPageOrder(a: Ask, b: Ask): number {
  if (!a.element.value || !b.element.value) return 0
  const relation = a.element.value.compareDocumentPosition(b.element.value)
  return relation & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1
}
