import { z } from 'zod'
import type { KeptNotes } from './notes.ts'

/** The key under which the browser keeps them. */
export const NOTES_KEY = 'assent-notes'

const notes = z.array(
  z.strictObject({
    title: z.string(),
    content: z.string(),
    archived: z.boolean(),
    revision: z.int(),
    updatedAt: z.number(),
  }),
)

/** Notes that this browser keeps, for all pages of the playground. */
export function notesOfBrowser(): KeptNotes {
  return {
    read() {
      try {
        return notes.parse(JSON.parse(localStorage.getItem(NOTES_KEY) ?? ''))
      } catch {
        return undefined
      }
    },
    write(all) {
      try {
        localStorage.setItem(NOTES_KEY, JSON.stringify(all))
      } catch {
        // Full, or forbidden: the notes are those of this page then.
      }
    },
    onChange(listener) {
      window.addEventListener('storage', ({ key }) => key === NOTES_KEY && listener())
    },
  }
}
