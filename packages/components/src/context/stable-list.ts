import { computed, type ComputedRef } from 'vue'

/** A list that stays the same array while it has the same items, so that its readers rest. */
export function stableList<ITEM>(list: () => readonly ITEM[]): ComputedRef<readonly ITEM[]> {
  return computed((former?: readonly ITEM[]) => {
    const next = list()
    const isSame =
      former?.length === next.length && next.every((item, index) => item === former[index])
    return isSame ? former : next
  })
}
