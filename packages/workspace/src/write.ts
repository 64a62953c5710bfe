import { z } from 'zod'
import { clearWriting } from './clear-path.ts'
import { WorkspaceRefusal } from './refusal.ts'
import { replaceFile } from './replace-file.ts'
import { hashOf, readTextIfAny, refuseMasks } from './text-file.ts'
import { quoted, type ToolKit, type WorkspaceTool } from './tool-kit.ts'
import { visibleName } from './visible-name.ts'

const inputSchema = z.object({
  path: z.string().min(1).describe('The file, from the workspace on.'),
  content: z.string().describe('All that the file will hold.'),
})

export type WriteInput = z.infer<typeof inputSchema>

/** Makes a file, or replaces what one holds. */
export function writeTool(kit: ToolKit): WorkspaceTool<WriteInput> {
  const callOf = (input: WriteInput) => JSON.stringify(['write', input.path, input.content])
  return {
    description:
      'Makes a text file in the workspace, or replaces all that it holds. Folders that are missing ' +
      'are made. Prefer edit to change a part of a file.',
    inputSchema,
    clear: ({ path }) => clearWriting(kit, path),
    async execute(input) {
      const { path, content } = input
      const located = await kit.roots.locate(path)
      const before = await readTextIfAny(located, kit.maxFileBytes)
      kit.seen.check(located, callOf(input), before?.hash)
      refuseMasks(path, before?.text ?? '', content)
      const bytes = new TextEncoder().encode(content)
      if (bytes.length > kit.maxFileBytes) {
        const message = `${path} would have ${bytes.length} bytes; at most ${kit.maxFileBytes} are written.`
        throw new WorkspaceRefusal('too_large', path, message)
      }
      await replaceFile(located, bytes, before?.mode)
      kit.seen.note(located.real, hashOf(bytes))
      return `${before ? 'Replaced' : 'Made'} ${kit.roots.show(located.real)}: ${bytes.length} bytes.`
    },
    options: {
      risk: 'write',
      idempotent: true,
      summary: ({ path }) => `Write ${quoted(path)}`,
      async preview(input) {
        const { path, content } = input
        const located = await kit.roots.locate(path)
        const before = await readTextIfAny(located, kit.maxFileBytes)
        kit.seen.noteShown(callOf(input), before?.hash)
        const file = { path: visibleName(kit.roots.show(located.real)), after: content }
        return { kind: 'diff', files: [before ? { ...file, before: before.text } : file] }
      },
    },
  }
}
