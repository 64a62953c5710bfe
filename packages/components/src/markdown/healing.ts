import { shallowRef, type ShallowRef } from 'vue'

type Heal = (text: string) => string

const loaded = shallowRef<Heal>()
let loading: Promise<void> | undefined

/** What closes Markdown that is cut anywhere, once it is loaded. Until then text is shown as it is. */
export const healing: Readonly<ShallowRef<Heal | undefined>> = loaded

/** Loads {@link healing}; only texts that stream need it. A failure is tried again the next time. */
export function loadHealing(): Promise<void> {
  loading ??= import('./heal.ts').then(
    ({ heal }) => {
      loaded.value = heal
    },
    () => {
      loading = undefined
    },
  )
  return loading
}
