import { computed, type ComputedRef, reactive } from 'vue'

/** A note of the workspace. Its title is its name: no two notes have the same. */
export interface Note {
  readonly title: string
  readonly content: string
  readonly archived: boolean
  /** 1 when new, one more with every change. */
  readonly revision: number
  /** Milliseconds since the epoch. */
  readonly updatedAt: number
}

/** The notes in the page; what a tool does to them is seen wherever they are shown. */
export interface NotesWorkspace {
  /** Oldest first, the archived ones included. Reactive. */
  readonly notes: ComputedRef<readonly Note[]>
  /** The note of a title, if there is one; case does not matter. */
  find: (title: string) => Note | undefined
  /**
   * The note of a title; case does not matter.
   *
   * @throws Error when there is none; the message says which there are
   */
  read: (title: string) => Note
  /** Makes a note, or changes the one of that title; a changed one is no longer archived. */
  write: (title: string, content: string) => { note: Note; created: boolean }
  /** @throws Error as `read` does, and when the note is archived already */
  archive: (title: string) => Note
  /** Removes a note for good. @throws Error as `read` does */
  delete: (title: string) => Note
  /** Puts the notes back that were there at first. */
  reset: () => void
}

/** Where notes outlive the page. */
export interface KeptNotes {
  /** `undefined` when none were kept yet, or none that can be read. */
  read(): readonly Note[] | undefined
  write(notes: readonly Note[]): void
  /** Calls back when another page has written. */
  onChange(listener: () => void): void
}

/** Options of {@link createNotesWorkspace}. */
export interface NotesWorkspaceOptions {
  /** Default: {@link SEED_NOTES}. */
  seed?: readonly { title: string; content: string }[]
  /** Milliseconds since the epoch. Default: the clock. */
  now?: () => number
  /** Default: nowhere, so that a new page begins anew. */
  kept?: KeptNotes
}

/** What the workspace holds at first: something done, something empty, something to read. */
export const SEED_NOTES: readonly { title: string; content: string }[] = [
  {
    title: 'Launch plan',
    content:
      'Launch on a Tuesday, never on a Friday.\n- [x] write the announcement\n- [ ] ask Ada for the pictures\n- [ ] tell support before it goes live',
  },
  {
    title: 'Trip to Lisbon',
    content: '- [x] book the flight\n- [x] book the hotel\n- [x] find the passport',
  },
  {
    title: 'Ideas',
    content: 'A clock that asks before it strikes.\nA launch party without a launch.',
  },
  { title: 'Scratchpad', content: '' },
]

/** A workspace of notes. */
export function createNotesWorkspace({
  seed = SEED_NOTES,
  now = () => Date.now(),
  kept,
}: NotesWorkspaceOptions = {}): NotesWorkspace {
  const byKey = reactive(new Map<string, Note>())

  function keep(): void {
    kept?.write([...byKey.values()])
  }

  function put(note: Note): Note {
    byKey.set(keyOf(note.title), note)
    keep()
    return note
  }

  function fill(notes: readonly Note[]): void {
    byKey.clear()
    for (const note of notes) byKey.set(keyOf(note.title), note)
  }

  function firstNotes(): Note[] {
    return seed.map((note) => ({ ...note, archived: false, revision: 1, updatedAt: now() }))
  }

  function read(title: string): Note {
    const note = byKey.get(keyOf(title))
    if (note) return note
    const titles = [...byKey.values()].map((known) => `“${known.title}”`).join(', ')
    throw new Error(
      `There is no note “${title}”. ${titles ? `There are: ${titles}` : 'There are none'}.`,
    )
  }

  fill(kept?.read() ?? firstNotes())
  kept?.onChange(() => fill(kept.read() ?? []))

  return {
    notes: computed(() => [...byKey.values()]),
    find: (title) => byKey.get(keyOf(title)),
    read,
    write: (title, content) => {
      const before = byKey.get(keyOf(title))
      const note = put({
        title: before?.title ?? title.trim(),
        content,
        archived: false,
        revision: (before?.revision ?? 0) + 1,
        updatedAt: now(),
      })
      return { note, created: before === undefined }
    },
    archive: (title) => {
      const note = read(title)
      if (note.archived) throw new Error(`The note “${note.title}” is in the archive already.`)
      return put({ ...note, archived: true, revision: note.revision + 1, updatedAt: now() })
    },
    delete: (title) => {
      const note = read(title)
      byKey.delete(keyOf(title))
      keep()
      return note
    },
    reset: () => {
      fill(firstNotes())
      keep()
    },
  }
}

/** How many words a note has; a list mark or a checkbox is none. */
export function wordCount({ content }: Pick<Note, 'content'>): number {
  return content
    .replaceAll(CHECKBOX, ' ')
    .split(/\s+/u)
    .filter((word) => /[\p{L}\p{N}]/u.test(word)).length
}

/** Whether a note has checkboxes, and all of them are ticked. */
export function isDone({ content }: Pick<Note, 'content'>): boolean {
  const boxes = content.match(CHECKBOX) ?? []
  return boxes.length > 0 && boxes.every((box) => /\[x\]/iu.test(box))
}

const CHECKBOX = /^\s*[-*] \[[ x]\]/gimu

function keyOf(title: string): string {
  return title.trim().normalize('NFC').toLowerCase()
}
