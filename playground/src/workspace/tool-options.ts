import type { ToolOptions } from '@assent/engine'
import type { InferUITools } from 'ai'
import type { ServerBackup } from '../server-state.ts'
import type { ServerUITools } from '../server-tools.ts'
import { folderOptions, type FolderUITools } from './folder-options.ts'
import type { Note } from './notes.ts'
import type { WorkspaceTools } from './tools.ts'

/** Every tool of the playground, wherever it runs, with its input and output. */
export type PlaygroundUITools = InferUITools<WorkspaceTools> & ServerUITools & FolderUITools

type PlaygroundToolOptions = {
  [NAME in keyof PlaygroundUITools]: ToolOptions<PlaygroundUITools[NAME]['input']>
}

/** The tools that run on the server: those of the folder, and its own. */
export const toolsOfServer: readonly (keyof (ServerUITools & FolderUITools))[] = [
  ...(Object.keys(folderOptions) as (keyof FolderUITools)[]),
  'server_time',
  'send_report',
  'delete_backup',
]

/** What previews are made from, as it is at that moment. */
export interface PreviewSources {
  /** The note of a title, if there is one; case does not matter. */
  noteOf(title: string): Pick<Note, 'title' | 'content'> | undefined
  /** `undefined` until the server said which there are. */
  backups(): readonly ServerBackup[] | undefined
}

/** What the cards say about the calls of each tool, what they show of them, and how grave each is. */
export function createToolOptions({ noteOf, backups }: PreviewSources): PlaygroundToolOptions {
  return {
    ...folderOptions,
    list_notes: { summary: () => 'List the notes', risk: 'read' },
    read_note: { summary: ({ title }) => `Read the note “${title}”`, risk: 'read' },
    search_notes: { summary: ({ query }) => `Search the notes for “${query}”`, risk: 'read' },
    write_note: {
      summary: ({ title }) => `Write the note “${title}”`,
      risk: 'write',
      preview: ({ title, content }) => {
        const note = noteOf(title)
        const path = note?.title ?? title.trim()
        return {
          kind: 'diff',
          files: [{ path, ...(note && { before: linesOf(note) }), after: linesOf({ content }) }],
        }
      },
    },
    archive_note: { summary: ({ title }) => `Archive the note “${title}”`, risk: 'write' },
    delete_note: {
      summary: ({ title }) => `Delete the note “${title}” for good`,
      risk: 'destroy',
      preview: ({ title }) => {
        const note = noteOf(title)
        return note && { kind: 'diff', files: [{ path: note.title, before: linesOf(note) }] }
      },
    },
    ask_user: { summary: ({ question }) => question },
    list_primes: {
      summary: ({ below }) => `List all primes below ${below.toLocaleString('en')}`,
      risk: 'read',
    },
    export_notes: { summary: ({ target }) => `Export all notes to “${target}”`, risk: 'send' },
    server_time: { summary: () => 'Ask the server for its time', risk: 'read' },
    send_report: {
      summary: ({ to, subject }) => `Send the report “${subject}” to ${to}`,
      risk: 'send',
      preview: ({ to, subject, body }) => ({ kind: 'email', to: [to], subject, body }),
    },
    delete_backup: {
      summary: ({ name }) => `Delete the backup “${name}” for good`,
      risk: 'destroy',
      preview: ({ name }) => {
        const all = backups()
        return (
          all && {
            kind: 'table',
            columns: ['Backup', 'Megabytes', 'Then'],
            rows: all.map((one) => [
              one.name,
              one.megabytes,
              one.name === name ? 'deleted' : 'kept',
            ]),
          }
        )
      },
    },
  }
}

/** As a file would have it: every line with its end. */
function linesOf({ content }: Pick<Note, 'content'>): string {
  return content === '' || content.endsWith('\n') ? content : `${content}\n`
}
