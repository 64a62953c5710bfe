import { z } from 'zod'
import { readText } from './text-file.ts'
import { clearReading } from './clear-path.ts'
import { visibleName } from './visible-name.ts'
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
      const wanted = linesOf(text, offset, limit)
      if (wanted === undefined) return behindEnd(path, text)
      return kit.outputs.fit('read', { text: wanted }, 'head')
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

function behindEnd(path: string, text: string): string {
  const lines = text.split('\n').length - (text === '' || text.endsWith('\n') ? 1 : 0)
  return `[${visibleName(path)} has ${lines} ${lines === 1 ? 'line' : 'lines'}; nothing is behind them.]`
}

/** Some lines of a text, with their ends; none behind its last one. */
function linesOf(text: string, first: number, count = Infinity): string | undefined {
  if (first === 1 && count === Infinity) return text
  let start = 0
  for (let line = 1; line < first; line++) {
    const end = text.indexOf('\n', start)
    if (end === -1) return undefined
    start = end + 1
  }
  if (start === text.length) return undefined
  let stop = start
  for (let line = 0; line < count; line++) {
    const end = text.indexOf('\n', stop)
    if (end === -1) return text.slice(start)
    stop = end + 1
  }
  return text.slice(start, stop)
}
