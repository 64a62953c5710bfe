import { z } from 'zod'
import { pathText } from './input-bounds.ts'
import { maskedLines } from './masked-lines.ts'
import { readText } from './text-file.ts'
import { clearReading } from './clear-path.ts'
import { visibleName } from './visible-name.ts'
import { quoted, type ToolKit, type WorkspaceTool } from './tool-kit.ts'

const inputSchema = z.object({
  path: pathText.describe('The file, from the workspace on.'),
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
    async execute({ path, offset, limit }, { abortSignal }) {
      const located = await kit.places.locate(path)
      const { text, hash } = await readText(located, kit.maxFileBytes)
      kit.seen.note(located.real, hash)
      if (offset === undefined && limit === undefined) {
        return kit.outputs.fit('read', { text }, 'head')
      }
      const first = offset ?? 1
      const last = limit === undefined ? Infinity : first + limit - 1
      const wanted: string[] = []
      for await (const line of maskedLines(text, 'read', kit.redact)) {
        abortSignal?.throwIfAborted()
        if (line.first > last) break
        if (line.last >= first) wanted.push(line.text)
      }
      if (wanted.length === 0) return behindEnd(path, text)
      return kit.outputs.fit('read', { text: wanted.join('') }, 'head')
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
