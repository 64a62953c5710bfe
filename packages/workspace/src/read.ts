import { z } from 'zod'
import { readText } from './text-file.ts'
import { clearReading } from './clear-path.ts'
import { quoted, type ToolKit, type WorkspaceTool } from './tool-kit.ts'

const inputSchema = z.object({
  path: z.string().min(1).describe('The file, from the workspace on.'),
  offset: z.number().int().min(1).optional().describe('The first line that is wanted, from 1.'),
  limit: z.number().int().min(1).optional().describe('How many lines are wanted.'),
})

export type ReadInput = z.infer<typeof inputSchema>

/** Reads a text file, whole or some of its lines. */
export function readTool(kit: ToolKit): WorkspaceTool<ReadInput> {
  return {
    description:
      'Reads a text file of the workspace. A long one is cut, and says how much of it is shown: ' +
      'name offset and limit to read other lines.',
    inputSchema,
    clear: ({ path }) => clearReading(kit, path),
    async execute({ path, offset = 1, limit }) {
      const located = await kit.roots.locate(path)
      const { text, hash } = await readText(located, kit.maxFileBytes)
      kit.seen.note(located.real, hash)
      return kit.outputs.fit('read', { text: linesOf(text, offset, limit) }, 'head')
    },
    options: {
      risk: 'read',
      keep: 'head',
      idempotent: true,
      summary: ({ path, offset, limit }) =>
        offset === undefined && limit === undefined
          ? `Read ${quoted(path)}`
          : `Read ${quoted(path)} from line ${offset ?? 1}${limit === undefined ? '' : `, ${limit} lines`}`,
    },
  }
}

/** Some lines of a text, with their ends. */
function linesOf(text: string, first: number, count = Infinity): string {
  if (first === 1 && count === Infinity) return text
  let start = 0
  for (let line = 1; line < first; line++) {
    const end = text.indexOf('\n', start)
    if (end === -1) return ''
    start = end + 1
  }
  let stop = start
  for (let line = 0; line < count; line++) {
    const end = text.indexOf('\n', stop)
    if (end === -1) return text.slice(start)
    stop = end + 1
  }
  return text.slice(start, stop)
}
