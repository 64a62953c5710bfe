import { nextTick, ref, type Ref, type ShallowRef } from 'vue'

/** A form behind one of the buttons of a card. */
export type AskForm = 'denying' | 'allowing' | 'editing'

/** What the foot of a card that asks shows: its buttons, or a form. */
export type AskMode = 'asking' | AskForm

const OPENERS: Record<AskForm, string> = { denying: 'deny', allowing: 'always', editing: 'edit' }

/** Which form of a card is open, and how to open and close it. */
export interface AskModes {
  readonly mode: Readonly<Ref<AskMode>>
  /**
   * Shows a form in place of the buttons, as soon as its code is there. Resolves to whether the code
   * could be loaded.
   */
  open(form: AskForm): Promise<boolean>
  /** Shows the buttons again, with the focus on the one that opened the form. */
  close(): Promise<void>
  /** Shows the buttons again and leaves the focus alone. */
  reset(): void
}

export function useAskMode(options: {
  /** The card. */
  element: Readonly<ShallowRef<HTMLElement | null>>
  /** Asked when a form is opened, and again when its code is there. */
  canOpen: () => boolean
  load: () => Promise<unknown>
}): AskModes {
  const { element, canOpen, load } = options
  const mode = ref<AskMode>('asking')

  return {
    mode,
    async open(form) {
      // Nothing stands between a person and a no.
      if (form !== 'denying' && canOpen()) {
        try {
          await load()
        } catch {
          return false
        }
      }
      if (canOpen() && mode.value === 'asking') mode.value = form
      return true
    },
    async close() {
      if (mode.value === 'asking') return
      const opener = OPENERS[mode.value]
      mode.value = 'asking'
      await nextTick()
      element.value?.querySelector<HTMLElement>(`[data-slot="${opener}"]`)?.focus()
    },
    reset() {
      mode.value = 'asking'
    },
  }
}
