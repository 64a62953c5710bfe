import type { ToolApprovalConfiguration, ToolExecutionOptions, ToolSet } from 'ai'
import { z } from 'zod'
import { isDone, type Note, type NotesWorkspace, wordCount } from './notes.ts'

const title = z
  .string()
  .regex(/\S/, 'must not be blank')
  .max(200)
  .describe('The title of the note; case does not matter')
const noInput = z.object({})
const byTitle = z.object({ title })
const writeInput = z.object({ title, content: z.string().max(20_000).describe('Markdown') })
const searchInput = z.object({ query: z.string().min(1).max(200) })
const questionInput = z.object({ question: z.string().min(1).max(500) })
const primesInput = z.object({
  below: z.int().min(3).max(100_000).describe('All primes that are smaller than this'),
})
const exportInput = z.object({ target: z.string().min(1).max(200).describe('Where to export to') })

/** The tools of {@link createWorkspaceTools}. */
export type WorkspaceTools = ReturnType<typeof createWorkspaceTools>

/** A hit of `search_notes`. */
export interface SearchMatch {
  title: string
  /** The line that the query was found in. */
  excerpt: string
}

/** Output of `search_notes`, preliminary until `searched` is `total`. */
export interface SearchOutput {
  query: string
  searched: number
  total: number
  matches: SearchMatch[]
}

/** Options of {@link createWorkspaceTools}. */
export interface WorkspaceToolsOptions {
  /** Milliseconds that searching one note takes, so that the search can be watched. Default 150. */
  searchMs?: number
}

/** The tools that run in the page, on its notes. They are announced to the server by the engine. */
export function createWorkspaceTools(
  workspace: NotesWorkspace,
  { searchMs = 150 }: WorkspaceToolsOptions = {},
) {
  return {
    list_notes: {
      description: 'Lists the notes: title, number of words, whether done and whether archived.',
      inputSchema: noInput,
      execute: () => ({ notes: workspace.notes.value.map(listed) }),
    },
    read_note: {
      description: 'Reads one note.',
      inputSchema: byTitle,
      execute: (input: z.infer<typeof byTitle>) => {
        const note = workspace.read(input.title)
        return { title: note.title, content: note.content, archived: note.archived }
      },
    },
    write_note: {
      description: 'Creates a note, or replaces the content of the note of that title.',
      inputSchema: writeInput,
      execute: (input: z.infer<typeof writeInput>) => {
        const { note, created } = workspace.write(input.title, input.content)
        return { title: note.title, content: note.content, created, revision: note.revision }
      },
    },
    archive_note: {
      description: 'Moves a note to the archive.',
      inputSchema: byTitle,
      execute: (input: z.infer<typeof byTitle>) => {
        const note = workspace.archive(input.title)
        return { title: note.title, archived: note.archived }
      },
    },
    delete_note: {
      description: 'Deletes a note for good.',
      inputSchema: byTitle,
      execute: (input: z.infer<typeof byTitle>) => {
        const note = workspace.delete(input.title)
        return { deleted: note.title, remaining: workspace.notes.value.length }
      },
    },
    search_notes: {
      description: 'Searches titles and contents of all notes for a text.',
      inputSchema: searchInput,
      execute: (
        input: z.infer<typeof searchInput>,
        { abortSignal }: ToolExecutionOptions<unknown>,
      ) => search(workspace.notes.value, input.query, searchMs, abortSignal),
    },
    ask_user: {
      description: 'Asks the person a question and gives back the answer. It needs no approval.',
      inputSchema: questionInput,
      // Without `execute`: the person's answer is the output.
      outputSchema: z.string(),
    },
    list_primes: {
      description: 'Lists all prime numbers below a bound, one a line.',
      inputSchema: primesInput,
      execute: ({ below }: z.infer<typeof primesInput>) => primesBelow(below).join('\n'),
    },
    export_notes: {
      description: 'Exports all notes to another place.',
      inputSchema: exportInput,
      execute: ({ target }: z.infer<typeof exportInput>): never => {
        throw new Error(
          `Nothing was exported: this page has no connection to “${target}”, nor to any other place.`,
        )
      },
    },
  } satisfies ToolSet
}

/** Which of the page's tools ask before they run. */
export const workspaceApproval = {
  write_note: 'user-approval',
  archive_note: 'user-approval',
  delete_note: { type: 'user-approval', reason: 'A deleted note cannot be brought back.' },
  export_notes: { type: 'user-approval', reason: 'All notes leave this app.' },
} as const satisfies ToolApprovalConfiguration<WorkspaceTools, unknown>

/** By the sieve of Eratosthenes. */
function primesBelow(bound: number): number[] {
  const isComposite = new Uint8Array(bound)
  const primes: number[] = []
  for (let number = 2; number < bound; number++) {
    if (isComposite[number]) continue
    primes.push(number)
    for (let multiple = number * number; multiple < bound; multiple += number) {
      isComposite[multiple] = 1
    }
  }
  return primes
}

function listed(note: Note) {
  return {
    title: note.title,
    words: wordCount(note),
    done: isDone(note),
    archived: note.archived,
  }
}

async function* search(
  notes: readonly Note[],
  query: string,
  searchMs: number,
  abortSignal: AbortSignal | undefined,
): AsyncGenerator<SearchOutput> {
  const wanted = query.toLowerCase()
  const matches: SearchMatch[] = []
  let searched = 0
  yield { query, searched, total: notes.length, matches: [] }
  for (const note of notes) {
    await pause(searchMs, abortSignal)
    const found = `${note.title}\n${note.content}`
      .split('\n')
      .find((line) => line.toLowerCase().includes(wanted))
    if (found !== undefined) matches.push({ title: note.title, excerpt: found })
    searched++
    yield { query, searched, total: notes.length, matches: [...matches] }
  }
}

async function pause(ms: number, abortSignal: AbortSignal | undefined): Promise<void> {
  abortSignal?.throwIfAborted()
  if (ms <= 0) return
  await new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(abortSignal?.reason)
    }
    const timer = setTimeout(() => {
      abortSignal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    abortSignal?.addEventListener('abort', stop, { once: true })
  })
}
