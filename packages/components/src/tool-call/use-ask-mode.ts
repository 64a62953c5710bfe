import { nextTick, onMounted, ref, watch, type Ref, type ShallowRef } from 'vue'
import { openFormKey, useDraft } from '../context/use-draft.ts'

/** A form behind one of the buttons of a card. */
export type AskForm = 'denying' | 'allowing' | 'editing' | 'confirming'

/** What the foot of a card that asks shows: its buttons, or a form. */
export type AskMode = 'asking' | AskForm

const OPENERS: Record<AskForm, string> = {
  denying: 'deny',
  allowing: 'always',
  editing: 'edit',
  confirming: 'approve',
}
/** What is opened again after a reload. A confirmation is begun anew. */
const KEPT: readonly unknown[] = ['denying', 'allowing', 'editing'] satisfies AskForm[]

/** Which form of a card is open, and how to open and close it. */
export interface AskModes {
  readonly mode: Readonly<Ref<AskMode>>
  /** The form that is open was open before the page was loaded, or in another tab. */
  readonly isRestored: Readonly<Ref<boolean>>
  /** The code of a form could not be loaded. */
  readonly isNotLoaded: Readonly<Ref<boolean>>
  /** Shows a form in place of the buttons, as soon as its code is there. */
  open(form: AskForm): Promise<void>
  /** Shows the buttons again, with the focus on the one that opened the form. */
  close(): Promise<void>
  /** Shows the buttons again and leaves the focus alone. */
  reset(): void
}

export function useAskMode(options: {
  /** The card. */
  element: Readonly<ShallowRef<HTMLElement | null>>
  /** Whether the card still asks. */
  isAsking: () => boolean
  /** Asked when a form is opened, and again when its code is there. */
  canOpen: () => boolean
  load: () => Promise<unknown>
  /** Whether the card has a form at all. */
  has: (form: AskForm) => boolean
  /** Names the note of which form is open. */
  draftKey: () => string | undefined
}): AskModes {
  const { element, isAsking, canOpen, load, has, draftKey } = options
  const mode = ref<AskMode>('asking')
  const isRestored = ref(false)
  const isNotLoaded = ref(false)
  const { draft, keep } = useDraft(() => openFormKey(draftKey()))

  async function tryLoad(form: AskForm): Promise<boolean> {
    // Nothing stands between a person and a no.
    if (form === 'denying') return true
    try {
      await load()
      return true
    } catch {
      return false
    }
  }

  /** The focus stays in the card whose buttons or form go. */
  function show(next: AskMode): void {
    const card = element.value
    if (card?.contains(document.activeElement)) card.focus({ preventScroll: true })
    mode.value = next
  }

  /** The form that was open before a reload, or is open in another tab: both show one and the same. */
  async function follow(form: unknown): Promise<void> {
    if (!isAsking()) return
    if (form === undefined && KEPT.includes(mode.value)) return show('asking')
    if (!isForm(form) || !has(form) || !(await tryLoad(form))) return
    if (!isAsking() || mode.value !== 'asking' || draft.value !== form) return
    isRestored.value = true
    show(form)
  }
  onMounted(() => follow(draft.value))
  watch(draft, follow)
  watch(mode, (now) => keep(KEPT.includes(now) ? now : undefined, true))

  return {
    mode,
    isRestored,
    isNotLoaded,
    async open(form) {
      if (!canOpen() || !has(form)) return
      const isLoaded = await tryLoad(form)
      isNotLoaded.value = !isLoaded
      if (!isLoaded || !canOpen() || mode.value !== 'asking') return
      isRestored.value = false
      // The button goes, and the form may take another moment to be there. Nor has every browser given
      // the button the focus; whoever follows the end would be taken from the card until then.
      if (form !== 'denying') element.value?.focus({ preventScroll: true })
      mode.value = form
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

function isForm(value: unknown): value is AskForm {
  return KEPT.includes(value)
}
