import { shallowRef, type Ref } from 'vue'

/** The order of the waiting messages, changed by keys or by dragging. */
export interface QueueOrder {
  /** The ids as they would be if what is dragged were let go now; `undefined` while nothing is. */
  readonly preview: Readonly<Ref<readonly string[] | undefined>>
  /** What is dragged. */
  readonly dragged: Readonly<Ref<string | undefined>>
  onKeyDown(event: KeyboardEvent, id: string): void
  onPointerDown(event: PointerEvent, id: string): void
}

export interface QueueOrderOptions {
  list: Readonly<Ref<HTMLElement | null>>
  /** The ids in order. */
  ids: () => readonly string[]
  move: (id: string, toIndex: number) => void
}

/**
 * Moves a message by the arrow keys, Home and End on its grip, at once; or by dragging the grip, when it
 * is let go. Escape gives a drag up.
 */
export function useQueueOrder({ list, ids, move }: QueueOrderOptions): QueueOrder {
  const preview = shallowRef<readonly string[]>()
  const dragged = shallowRef<string>()

  function moved(order: readonly string[], id: string, toIndex: number): readonly string[] {
    const others = order.filter((other) => other !== id)
    return [...others.slice(0, toIndex), id, ...others.slice(toIndex)]
  }

  /** The place that a height of the page belongs to. */
  function placeAt(y: number, id: string): number {
    const rows = [...(list.value?.querySelectorAll<HTMLElement>('[data-queued-id]') ?? [])]
    const others = rows.filter((row) => row.dataset['queuedId'] !== id)
    return others.filter((row) => {
      const { top, height } = row.getBoundingClientRect()
      return top + height / 2 < y
    }).length
  }

  return {
    preview,
    dragged,
    onKeyDown(event, id) {
      const order = ids()
      const index = order.indexOf(id)
      const places: Record<string, number> = {
        ArrowUp: index - 1,
        ArrowDown: index + 1,
        Home: 0,
        End: order.length - 1,
      }
      const to = new Map(Object.entries(places)).get(event.key)
      if (to === undefined || index === -1) return
      event.preventDefault()
      if (to === index || to < 0 || to >= order.length) return
      move(id, to)
    },
    onPointerDown(event, id) {
      const grip = event.currentTarget
      if (event.button !== 0 || !(grip instanceof HTMLElement) || !grip.isConnected) return
      const over = new AbortController()
      const { signal } = over
      dragged.value = id
      preview.value = ids()

      function end(isMeant: boolean): void {
        const order = preview.value
        over.abort()
        preview.value = undefined
        dragged.value = undefined
        const to = order?.indexOf(id) ?? -1
        if (isMeant && to !== -1 && to !== ids().indexOf(id)) move(id, to)
      }
      // On the window: the grip itself is moved about, and would lose a captured pointer.
      const onMove = ({ clientY, pointerId }: PointerEvent): void => {
        if (pointerId === event.pointerId) preview.value = moved(ids(), id, placeAt(clientY, id))
      }
      const onUp = ({ pointerId }: PointerEvent) => pointerId === event.pointerId && end(true)
      const onKey = ({ key }: KeyboardEvent) => key === 'Escape' && end(false)
      window.addEventListener('pointermove', onMove, { signal })
      window.addEventListener('pointerup', onUp, { signal })
      window.addEventListener('pointercancel', () => end(false), { signal })
      window.addEventListener('keydown', onKey, { signal, capture: true })
    },
  }
}
