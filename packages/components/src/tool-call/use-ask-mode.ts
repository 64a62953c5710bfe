import { nextTick, ref, type Ref, type ShallowRef } from 'vue'

/** What the foot of a card that asks shows: its buttons, or the form behind one of them. */
export type AskMode = 'asking' | 'denying' | 'allowing' | 'editing'

const OPENERS: Record<Exclude<AskMode, 'asking'>, string> = {
  denying: 'deny',
  allowing: 'always',
  editing: 'edit',
}

/** Which form of a card is open, and how to open and close it. */
export interface AskModes {
  readonly mode: Readonly<Ref<AskMode>>
  /** Whether the code of a form could not be loaded. */
  readonly isNotLoaded: Readonly<Ref<boolean>>
  /** Shows a form in place of the buttons as soon as its code is there. */
  open(form: Exclude<AskMode, 'asking'>, load?: () => Promise<unknown>): Promise<void>
  /** Shows the buttons again, with the focus on the one that opened the form. */
  close(): Promise<void>
  /** Shows the buttons again and leaves the focus alone. */
  reset(): void
}

/** @param canOpen asked when a form is opened, and again when its code is there */
export function useAskMode(
  element: Readonly<ShallowRef<HTMLElement | null>>,
  canOpen: () => boolean,
): AskModes {
  const mode = ref<AskMode>('asking')
  const isNotLoaded = ref(false)

  return {
    mode,
    isNotLoaded,
    async open(form, load) {
      isNotLoaded.value = false
      if (load && canOpen()) {
        try {
          await load()
        } catch {
          isNotLoaded.value = true
          return
        }
      }
      if (canOpen() && mode.value === 'asking') mode.value = form
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
      isNotLoaded.value = false
    },
  }
}
