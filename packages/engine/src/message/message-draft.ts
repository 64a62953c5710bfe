import type { UIMessage } from 'ai'
import type { MessagePart } from './tool-part.ts'

/** A part of a draft, to find and change it again without a search. */
export interface Slot<PART extends MessagePart = MessagePart> {
  readonly index: number
  part: PART
  /** How many snapshots there were when `part` was made: all later ones share it. */
  age: number
}

/** A message without its parts. */
type MessageHead = Omit<UIMessage, 'parts'>

/**
 * A message under construction. Snapshots share every part that did not change: the first change
 * after a snapshot copies its part, further ones are made in place.
 */
export interface MessageDraft {
  readonly head: Readonly<MessageHead>
  readonly parts: readonly MessagePart[]
  /** The index of the first part of the current step. */
  readonly stepStart: number
  setMetadata(metadata: unknown): void
  /** Adds a part, which is the draft's own from now on. */
  append<PART extends MessagePart>(part: PART): Slot<PART>
  /** The part of a slot, to be changed in place. */
  edit<PART extends MessagePart>(slot: Slot<PART>): PART
  /** Puts another part, which is the draft's own from now on, in the place of one. */
  replace<PART extends MessagePart>(slot: Slot<PART>, part: PART): void
  startStep(): void
  /** Takes out the parts of the current step. */
  dropStep(): void
  /** Begins an empty message. */
  restart(id: string): void
  /** The message as it is now; the same one as long as nothing changes. */
  snapshot(): UIMessage
}

/** Goes on with a message, which is never changed itself. */
export function createMessageDraft(initial: UIMessage): MessageDraft {
  const parts = [...initial.parts]
  let head: MessageHead = initial
  let stepStart = parts.findLastIndex(({ type }) => type === 'step-start') + 1
  let snapshots = 0
  let latest: UIMessage | undefined = initial

  function replace<PART extends MessagePart>(slot: Slot<PART>, part: PART): void {
    latest = undefined
    parts[slot.index] = part
    slot.part = part
    slot.age = snapshots
  }

  function append<PART extends MessagePart>(part: PART): Slot<PART> {
    const slot = { index: parts.length, part, age: snapshots }
    replace(slot, part)
    return slot
  }

  /** Keeps the parts before the current step. */
  function dropStep(): void {
    if (parts.length > stepStart) latest = undefined
    parts.length = stepStart
  }

  function setHead(next: MessageHead): void {
    latest = undefined
    head = next
  }

  return {
    get head() {
      return head
    },
    get stepStart() {
      return stepStart
    },
    parts,
    append,
    replace,
    dropStep,
    setMetadata: (metadata) => setHead({ ...head, metadata }),
    edit(slot) {
      if (slot.age !== snapshots) replace(slot, { ...slot.part })
      latest = undefined
      return slot.part
    },
    startStep() {
      append({ type: 'step-start' })
      stepStart = parts.length
    },
    restart(id) {
      stepStart = 0
      dropStep()
      setHead({ id, role: 'assistant' })
    },
    snapshot() {
      if (!latest) {
        latest = { ...head, parts: parts.slice() }
        snapshots++
      }
      return latest
    },
  }
}
