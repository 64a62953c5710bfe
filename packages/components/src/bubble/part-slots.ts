import {
  inject,
  onBeforeUpdate,
  provide,
  shallowRef,
  useSlots,
  type InjectionKey,
  type Slot,
} from 'vue'

/** Finds the slot that renders a part; the first of the names that there is. */
export type FindSlot = (...names: readonly string[]) => Slot | undefined

const slotsKey: InjectionKey<FindSlot> = Symbol('assent part slots')

/**
 * The slots for parts of this component, then those of the list or chat around it. They are handed down
 * beside the props: passed on through every level, they would render all bubbles with each new message.
 */
export function usePartSlots(): FindSlot {
  const slots = useSlots()
  const outer = inject(slotsKey, () => undefined)
  // The slots object is changed in place; this tells readers when slots came or went.
  const names = shallowRef(Object.keys(slots).join())
  onBeforeUpdate(() => {
    names.value = Object.keys(slots).join()
  })
  const find: FindSlot = (...wanted) => {
    void names.value
    const own = wanted.find((name) => slots[name])
    return own === undefined ? outer(...wanted) : slots[own]
  }
  provide(slotsKey, find)
  return find
}
