import type { ToolOptions } from '@assent/engine'
import type { WorkspaceToolSet } from '@assent/workspace'
import type { InferUITools } from 'ai'

/** The tools that work in the folder on the server, with their inputs and outputs. */
export type FolderUITools = InferUITools<WorkspaceToolSet>

/** What the cards say about their calls; what they would change in a file, the server says. */
export const folderOptions: {
  [NAME in keyof FolderUITools]: ToolOptions<FolderUITools[NAME]['input']>
} = {
  read: { summary: ({ path }) => `Read the file “${path}”`, risk: 'read' },
  write: {
    summary: ({ path }) => `Write the file “${path}” on the server`,
    risk: 'write',
  },
  edit: {
    summary: ({ path }) => `Change the file “${path}” on the server`,
    risk: 'write',
  },
  bash: {
    summary: ({ command }) => `Run ${command} on the server`,
    risk: 'write',
  },
  glob: { summary: () => 'List the files', risk: 'read' },
  grep: { summary: ({ pattern }) => `Search the files for ${pattern}`, risk: 'read' },
  readToolOutput: { summary: () => 'Read the rest of an output', risk: 'read' },
}
