import type { ToolOptions } from '@assent/engine'
import type { InferUITools } from 'ai'
import type { ServerUITools } from '../server-tools.ts'
import type { WorkspaceTools } from './tools.ts'

/** Every tool of the playground, wherever it runs, with its input and output. */
export type PlaygroundUITools = InferUITools<WorkspaceTools> & ServerUITools

type PlaygroundToolOptions = {
  [NAME in keyof PlaygroundUITools]: ToolOptions<PlaygroundUITools[NAME]['input']>
}

/** What the cards say about the calls of each tool, and how grave each is. */
export const toolOptions: PlaygroundToolOptions = {
  list_notes: { summary: () => 'List the notes', risk: 'read' },
  read_note: { summary: ({ title }) => `Read the note “${title}”`, risk: 'read' },
  search_notes: { summary: ({ query }) => `Search the notes for “${query}”`, risk: 'read' },
  write_note: { summary: ({ title }) => `Write the note “${title}”`, risk: 'write' },
  archive_note: { summary: ({ title }) => `Archive the note “${title}”`, risk: 'write' },
  delete_note: { summary: ({ title }) => `Delete the note “${title}” for good`, risk: 'destroy' },
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
  },
  delete_backup: { summary: ({ name }) => `Delete the backup “${name}” for good`, risk: 'destroy' },
}
