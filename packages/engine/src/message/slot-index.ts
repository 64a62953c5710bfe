import type { Slot } from './message-draft.ts'
import type { MessagePart } from './tool-part.ts'

/** Finds parts by an id that comes from outside. Ids may come again: the latest part counts. */
export class SlotIndex<PART extends MessagePart> {
  readonly #slots = new Map<string, Slot<PART>[]>()

  get(id: string): Slot<PART> | undefined {
    return this.#slots.get(id)?.at(-1)
  }

  add(id: string, slot: Slot<PART>): void {
    const slots = this.#slots.get(id)
    if (slots) slots.push(slot)
    else this.#slots.set(id, [slot])
  }

  /** Forgets that the part at an index has this id; an earlier part of that id counts again. */
  remove(id: string, index: number): void {
    const slots = this.#slots.get(id) ?? []
    const found = slots.findLastIndex((slot) => slot.index === index)
    if (found !== -1) slots.splice(found, 1)
  }

  clear(): void {
    this.#slots.clear()
  }
}
