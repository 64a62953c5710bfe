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
  // What a command risks is for the server to say, which has tried it.
  bash: { summary: ({ command }) => `Run ${command} on the server` },
  glob: { summary: () => 'List the files', risk: 'read' },
  grep: { summary: ({ pattern }) => `Search the files for ${pattern}`, risk: 'read' },
  readToolOutput: { summary: () => 'Read the rest of an output', risk: 'read' },
}
