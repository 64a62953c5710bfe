import { isTrueAt, listAt, numberAt, textAt } from './json-fields.ts'
import type { ToolWords } from './words-of-tool.ts'
import { WORKSPACE_WORDS } from './workspace-words.ts'

/** The tools that the demo model can speak of; any other is spoken of by its name and its JSON. */
export const TOOL_WORDS: ReadonlyMap<string, ToolWords> = new Map<string, ToolWords>([
  ...WORKSPACE_WORDS,
  [
    'list_notes',
    {
      doing: () => 'look at the list of notes',
      done: (output) => {
        const titles = noteTitles(output)
        if (!titles) return undefined
        if (titles.length === 0) return 'There are no notes.'
        return `There ${titles.length === 1 ? 'is one note' : `are ${titles.length} notes`}: ${quotedList(titles)}.`
      },
    },
  ],
  [
    'read_note',
    {
      doing: (input) => `read the note ${quoted(textAt(input, 'title'))}`,
      done: (output) => {
        const title = textAt(output, 'title')
        const content = textAt(output, 'content')
        if (title === undefined || content === undefined) return undefined
        if (content === '') return `The note “${title}” is empty.`
        return `The note “${title}” says:\n\n${blockquote(content)}`
      },
    },
  ],
  [
    'write_note',
    {
      doing: (input) => `write the note ${quoted(textAt(input, 'title'))}`,
      done: (output) => {
        const title = textAt(output, 'title')
        const content = textAt(output, 'content')
        const revision = numberAt(output, 'revision')
        if (title === undefined || content === undefined || revision === undefined) return undefined
        const made = isTrueAt(output, 'created') ? 'is new' : 'was changed'
        if (content === '') return `The note “${title}” ${made} (revision ${revision}) and empty.`
        return `The note “${title}” ${made} (revision ${revision}). It says:\n\n${blockquote(content)}`
      },
    },
  ],
  [
    'archive_note',
    {
      doing: (input) => `archive the note ${quoted(textAt(input, 'title'))}`,
      done: (output) => {
        const title = textAt(output, 'title')
        return title === undefined ? undefined : `The note “${title}” is in the archive now.`
      },
    },
  ],
  [
    'delete_note',
    {
      doing: (input) => `delete the note ${quoted(textAt(input, 'title'))}`,
      done: (output) => {
        const title = textAt(output, 'deleted')
        const left = numberAt(output, 'remaining')
        if (title === undefined || left === undefined) return undefined
        return `The note “${title}” is gone for good; ${left} ${left === 1 ? 'is' : 'are'} left.`
      },
    },
  ],
  [
    'search_notes',
    {
      doing: (input) => `search the notes for ${quoted(textAt(input, 'query'))}`,
      done: (output) => {
        const query = textAt(output, 'query')
        const matches = listAt(output, 'matches')
        if (query === undefined || !matches) return undefined
        if (matches.length === 0) return `No note speaks of “${query}”.`
        const lines = matches.map(
          (match) => `- **${textAt(match, 'title') ?? '?'}**: ${textAt(match, 'excerpt') ?? ''}`,
        )
        return `“${query}” is in ${matches.length === 1 ? 'one note' : `${matches.length} notes`}:\n\n${lines.join('\n')}`
      },
    },
  ],
  [
    'ask_user',
    {
      doing: (input) => `ask you ${quoted(textAt(input, 'question'))}`,
      done: (output) =>
        typeof output === 'string' ? `You answered:\n\n${blockquote(output)}` : undefined,
    },
  ],
  [
    'list_primes',
    {
      doing: (input) => `list all primes below ${numberAt(input, 'below') ?? '?'}`,
      done: (output) => {
        if (typeof output !== 'string') return undefined
        const lines = output.split('\n')
        const primes = lines.filter((line) => /^\d+$/u.test(line))
        return `I read ${primes.length} primes; the largest of them is ${primes.at(-1) ?? 'missing'}.`
      },
    },
  ],
  [
    'export_notes',
    {
      doing: (input) => `export the notes to ${quoted(textAt(input, 'target'))}`,
      done: () => undefined,
    },
  ],
  [
    'send_report',
    {
      doing: (input) =>
        `send the report ${quoted(textAt(input, 'subject'))} to ${textAt(input, 'to') ?? 'someone'}`,
      done: (output) => {
        const receipt = textAt(output, 'receipt')
        const to = textAt(output, 'to')
        const subject = textAt(output, 'subject')
        if (receipt === undefined || to === undefined || subject === undefined) return undefined
        return `The report “${subject}” went to ${to}; its receipt is \`${receipt}\`.`
      },
    },
  ],
  [
    'server_time',
    {
      doing: () => 'ask the server for its time',
      done: (output) => {
        const iso = textAt(output, 'iso')
        const zone = textAt(output, 'timeZone')
        if (iso === undefined || zone === undefined) return undefined
        return `The server’s clock says \`${iso}\` (it is in the time zone ${zone}).`
      },
    },
  ],
  [
    'delete_backup',
    {
      doing: (input) => `delete the backup ${quoted(textAt(input, 'name'))}`,
      done: (output) => {
        const name = textAt(output, 'deleted')
        const freed = numberAt(output, 'freedMegabytes')
        const left = listAt(output, 'remaining')
        if (name === undefined || freed === undefined || !left) return undefined
        const rest = left.filter((item) => typeof item === 'string')
        const kept = rest.length === 0 ? 'No backup is left.' : `Still there: ${quotedList(rest)}.`
        return `The backup “${name}” is gone, which freed ${freed} MB. ${kept}`
      },
    },
  ],
])

/** The titles in the output of `list_notes`; `undefined` when it is of another shape. */
export function noteTitles(output: unknown): string[] | undefined {
  return listAt(output, 'notes')?.flatMap((note) => textAt(note, 'title') ?? [])
}

/** “A”, “B” and “C”. */
export function quotedList(names: readonly string[]): string {
  return joined(names.map((name) => `“${name}”`))
}

/** a, b and c. */
export function joined(items: readonly string[]): string {
  if (items.length < 2) return items.join('')
  return `${items.slice(0, -1).join(', ')} and ${items.at(-1) ?? ''}`
}

/** A text as a markdown quotation. */
export function blockquote(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n')
}

function quoted(text: string | undefined): string {
  return `“${text ?? '?'}”`
}
