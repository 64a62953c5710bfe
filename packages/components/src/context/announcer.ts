import { inject, provide, shallowRef, type InjectionKey, type ShallowRef } from 'vue'

/** Says something to screen readers, once. */
export type Announce = (text: string) => void

export interface Announcement {
  id: number
  text: string
}

const announceKey: InjectionKey<Announce> = Symbol('assent announce')
const KEPT = 4

/** What was said last; to be rendered in one polite live region. */
export function provideAnnouncer(): {
  announcements: Readonly<ShallowRef<readonly Announcement[]>>
  announce: Announce
  /** What was said is of another conversation. */
  clear(): void
} {
  const announcements = shallowRef<readonly Announcement[]>([])
  let count = 0
  // Each is an element of its own: text that replaces other text too soon is never read.
  const announce: Announce = (text) => {
    count += 1
    announcements.value = [...announcements.value.slice(1 - KEPT), { id: count, text }]
  }
  provide(announceKey, announce)
  return { announcements, announce, clear: () => (announcements.value = []) }
}

/** Says something in the live region above; nothing where there is none. */
export function useAnnounce(): Announce {
  return inject(announceKey, () => {})
}
