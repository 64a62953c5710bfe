import type { UIMessage } from 'ai'
import type { MessagePart } from './tool-part.ts'

/** A part of a draft, to find and change it again without a search. */
export interface Slot<PART extends MessagePart = MessagePart> {
  readonly index: number
  part: PART
  /** How many snapshots there were when `part` was made: all later ones share it. */
  age: number
}

/**
 * A message under construction. Snapshots share every part that did not change: the first change
 * after a snapshot copies its part, further ones are made in place.
 */
export class MessageDraft {
  #head: Omit<UIMessage, 'parts'>
  #parts: MessagePart[]
  #stepStart: number
  #snapshots = 0
  #latest: UIMessage
  #isChanged = false

  /** Goes on with a message, which is never changed itself. */
  constructor(initial: UIMessage) {
    const { parts, ...head } = initial
    this.#head = head
    this.#parts = [...parts]
    this.#stepStart = parts.findLastIndex(({ type }) => type === 'step-start') + 1
    this.#latest = initial
  }

  get id(): string {
    return this.#head.id
  }

  get metadata(): unknown {
    return this.#head.metadata
  }

  /** The index of the first part of the current step. */
  get stepStart(): number {
    return this.#stepStart
  }

  rename(id: string): void {
    this.#head = { ...this.#head, id }
    this.#isChanged = true
  }

  setMetadata(metadata: unknown): void {
    this.#head = { ...this.#head, metadata }
    this.#isChanged = true
  }

  /** Adds a part, which is the draft's own from now on. */
  append<PART extends MessagePart>(part: PART): Slot<PART> {
    this.#isChanged = true
    this.#parts.push(part)
    return { index: this.#parts.length - 1, part, age: this.#snapshots }
  }

  /** The part of a slot, to be changed in place. */
  edit<PART extends MessagePart>(slot: Slot<PART>): PART {
    if (slot.age !== this.#snapshots) this.replace(slot, { ...slot.part })
    this.#isChanged = true
    return slot.part
  }

  /** Puts another part, which is the draft's own from now on, in the place of one. */
  replace<PART extends MessagePart>(slot: Slot<PART>, part: PART): void {
    this.#isChanged = true
    this.#parts[slot.index] = part
    slot.part = part
    slot.age = this.#snapshots
  }

  startStep(): void {
    this.append({ type: 'step-start' })
    this.#stepStart = this.#parts.length
  }

  /** Takes out the parts of the current step; answers which. */
  dropStep(): MessagePart[] {
    const dropped = this.#parts.splice(this.#stepStart)
    if (dropped.length > 0) this.#isChanged = true
    return dropped
  }

  /** Begins an empty message. */
  restart(id: string): void {
    this.#head = { id, role: 'assistant' }
    this.#parts = []
    this.#stepStart = 0
    this.#isChanged = true
  }

  /** The message as it is now; the same one as long as nothing changes. */
  snapshot(): UIMessage {
    if (this.#isChanged) {
      this.#latest = { ...this.#head, parts: this.#parts.slice() }
      this.#snapshots++
      this.#isChanged = false
    }
    return this.#latest
  }
}
