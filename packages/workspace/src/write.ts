import { z } from 'zod'
import { pathText } from './input-bounds.ts'
import { shownChange } from './shown-change.ts'
import { quoted, type ToolKit, type WorkspaceTool } from './tool-kit.ts'

const inputSchema = z.object({
  path: pathText.describe('The file, from the workspace on.'),
  content: z.string().describe('All that the file will hold.'),
})

export type WriteInput = z.infer<typeof inputSchema>

/** Makes a file, or replaces what one holds. */
export function writeTool(kit: ToolKit): WorkspaceTool<WriteInput> {
  const change = shownChange<WriteInput>(
    kit,
    ({ content }) => ({ after: content, places: 1 }),
    ({ path, content }) => [path, content],
  )
  return {
    description:
      'Makes a text file in the workspace, or replaces all that it holds. Folders that are missing ' +
      'are made. Prefer edit to change a part of a file.',
    inputSchema,
    clear: change.clear,
    async execute(input, call) {
      const { name, bytes, isReplaced } = await change.write(input, call)
      return `${isReplaced ? 'Replaced' : 'Made'} ${name}: ${bytes} bytes.`
    },
    options: {
      risk: 'write',
      idempotent: true,
      summary: ({ path }) => `Write ${quoted(path)}`,
      preview: change.preview,
    },
  }
}
