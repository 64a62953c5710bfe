import { textAt } from './json-fields.ts'
import type { ToolWords } from './words-of-tool.ts'

/** How the demo model speaks of the tools of the folder on the server. */
export const WORKSPACE_WORDS: readonly (readonly [string, ToolWords])[] = [
  ['glob', { doing: () => 'look at the files', done: inBlock('These are the files:') }],
  [
    'read',
    {
      doing: (input) => `read the file ${quotedAt(input, 'path')}`,
      done: inBlock('The file says:'),
    },
  ],
  ['write', { doing: (input) => `write the file ${quotedAt(input, 'path')}`, done: asItIs }],
  ['edit', { doing: (input) => `change the file ${quotedAt(input, 'path')}`, done: asItIs }],
  [
    'bash',
    {
      doing: (input) => `run the command \`${textAt(input, 'command') ?? '?'}\``,
      done: inBlock('The command printed:'),
    },
  ],
  [
    'grep',
    {
      doing: (input) => `search the files for ${quotedAt(input, 'pattern')}`,
      done: inBlock('This is what I found:'),
    },
  ],
]

function quotedAt(input: unknown, field: string): string {
  return `“${textAt(input, field) ?? '?'}”`
}

function asItIs(output: unknown): string | undefined {
  return typeof output === 'string' ? output : undefined
}

function inBlock(words: string): ToolWords['done'] {
  return (output) => {
    if (typeof output !== 'string') return undefined
    // A fence that is longer than any in it.
    const fence = '`'.repeat(
      Math.max(3, ...[...output.matchAll(/`+/g)].map(([run]) => run.length + 1)),
    )
    return `${words}\n\n${fence}text\n${output}\n${fence}`
  }
}
