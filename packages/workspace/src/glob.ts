import { z } from 'zod'
import { pathText, patternText } from './input-bounds.ts'
import { ALLOWED, quoted, type ToolKit, type WorkspaceTool } from './tool-kit.ts'
import { compileGlob } from './glob-pattern.ts'
import { MADE_BY_OTHERS, walkFiles } from './walk-files.ts'
import { leftOutInWords } from './left-out.ts'
import { visibleName } from './visible-name.ts'
import { WorkspaceRefusal } from './refusal.ts'

const inputSchema = z.object({
  pattern: patternText.describe('Such as src/**/*.ts'),
  path: pathText.optional().describe('The folder to look in. Default: the workspace.'),
})

export type GlobInput = z.infer<typeof inputSchema>

/** Files that are looked at. */
const MOST_FILES = 200_000

/** Lists the files whose paths match a pattern. */
export function globTool(kit: ToolKit): WorkspaceTool<GlobInput> {
  return {
    description:
      'Lists the files of the workspace whose paths match a pattern, by name. node_modules and .git ' +
      'are left out unless the pattern or the path names them.',
    inputSchema,
    clear: () => ALLOWED,
    async execute({ pattern, path = '.' }, { abortSignal }) {
      const matches = compileGlob(pattern)
      const located = await kit.roots.locate(path)
      if (!located.exists) {
        throw new WorkspaceRefusal('not_found', path, `${path} does not exist.`)
      }
      const named = new Set([...pattern.split('/'), ...path.split('/')])
      const skip = new Set([...MADE_BY_OTHERS].filter((name) => !named.has(name)))
      const found: string[] = []
      const leftOut: string[] = []
      for await (const { real, inner } of walkFiles(located, {
        skip,
        maxFiles: MOST_FILES,
        signal: abortSignal,
        onLeftOut: (folder) => leftOut.push(kit.roots.show(folder)),
      })) {
        if (matches(inner)) found.push(visibleName(kit.roots.show(real)))
      }
      const left = leftOutInWords(leftOut)
      if (found.length === 0) return `No file matches ${pattern}.${left === '' ? '' : ` ${left}`}`
      const head = left === '' ? '' : `[${left}]\n`
      return kit.outputs.fit('glob', { text: `${head}${found.join('\n')}\n` }, 'head')
    },
    options: {
      risk: 'read',
      keep: 'head',
      idempotent: true,
      summary: ({ pattern, path }) =>
        `List the files ${quoted(pattern)}${path === undefined ? '' : ` in ${quoted(path)}`}`,
    },
  }
}
