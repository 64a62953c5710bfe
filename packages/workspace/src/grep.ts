import { RE2JS } from 're2js'
import { z } from 'zod'
import { pathText, patternText } from './input-bounds.ts'
import { compileGlob } from './glob-pattern.ts'
import { readLocated } from './open-file.ts'
import { WorkspaceRefusal } from './refusal.ts'
import type { Located } from './roots.ts'
import { ALLOWED, quoted, type Clearance, type ToolKit, type WorkspaceTool } from './tool-kit.ts'
import { MADE_BY_OTHERS, walkFiles } from './walk-files.ts'
import { clearReading } from './clear-path.ts'
import { leftOutInWords } from './left-out.ts'
import { maskedLines, type MaskedLine } from './masked-lines.ts'
import { visibleName } from './visible-name.ts'

const inputSchema = z.object({
  pattern: patternText.describe('A regular expression (RE2), matched against each line.'),
  path: pathText.optional().describe('A file or folder. Default: the workspace.'),
  glob: patternText.optional().describe('Only files whose paths match, such as **/*.ts'),
  ignoreCase: z.boolean().optional(),
  context: z.number().int().min(0).max(20).optional().describe('Lines to show around each match.'),
})

export type GrepInput = z.infer<typeof inputSchema>

/** Files that are looked at. */
const MOST_FILES = 50_000
/** UTF-8 bytes of a file that is searched. */
const LARGEST = 5_000_000
/** UTF-16 code units of a line that is shown. */
const LONGEST_LINE = 500

/** Searches files for a regular expression. */
export function grepTool(kit: ToolKit): WorkspaceTool<GrepInput> {
  return {
    description:
      'Searches the text files of the workspace for a regular expression, line by line. Files that ' +
      'may hold secrets, node_modules and .git are left out of folders.',
    inputSchema,
    clear: ({ path }): Promise<Clearance> | Clearance =>
      path === undefined ? ALLOWED : clearReading(kit, path),
    async execute({ pattern, path = '.', glob, ignoreCase = false, context = 0 }, { abortSignal }) {
      const expression = compile(pattern, ignoreCase)
      const matchesGlob = glob === undefined ? () => true : compileGlob(glob)
      const located = await kit.places.locate(path)
      if (!located.exists) {
        throw new WorkspaceRefusal('not_found', path, `${path} does not exist.`)
      }
      const found: string[] = []
      let count = 0
      let files = 0
      const leftOut: string[] = []
      for await (const file of filesOf(kit, located, leftOut, abortSignal)) {
        if (!matchesGlob(file.inner)) continue
        const text = await textOf(file.located, leftOut)
        if (text === undefined) continue
        const matches = (line: string) => expression.matcher(line).find()
        if (!hasMatch(text, matches)) continue
        const lines: MaskedLine[] = []
        for await (const line of maskedLines(text, 'grep', kit.redact)) lines.push(line)
        const hits = searchLines(lines, matches, context)
        if (hits.count === 0) continue
        count += hits.count
        files++
        const name = visibleName(kit.roots.show(file.located.real))
        found.push(
          ...hits.lines.map(({ number, line, isMatch }) =>
            number === 0
              ? '--'
              : `${name}${isMatch ? ':' : '-'}${number}${isMatch ? ':' : '-'}${shorten(line)}`,
          ),
        )
      }
      const left = leftOutInWords(leftOut.map(kit.roots.show))
      if (count === 0) return `No line matches ${pattern}.${left === '' ? '' : ` ${left}`}`
      const text = `${count} ${count === 1 ? 'line' : 'lines'} in ${files} ${files === 1 ? 'file' : 'files'}${left === '' ? '' : `. ${left}`}\n${found.join('\n')}\n`
      return kit.outputs.fit('grep', { text }, 'head')
    },
    options: {
      risk: 'read',
      keep: 'head',
      idempotent: true,
      summary: ({ pattern, path }) =>
        `Search ${path === undefined ? 'the workspace' : quoted(path)} for ${quoted(pattern)}`,
    },
  }
}

/** In linear time, whatever the expression: it comes from a model. */
function compile(pattern: string, ignoreCase: boolean): RE2JS {
  try {
    return RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'it cannot be read'
    throw new WorkspaceRefusal('invalid', pattern, `the expression is not one: ${why}.`, { cause })
  }
}

interface SearchedFile {
  readonly located: Located
  readonly inner: string
}

/** The file that was named, or those below the folder that may be searched. */
async function* filesOf(
  { roots }: ToolKit,
  located: Located,
  leftOut: string[],
  signal: AbortSignal | undefined,
): AsyncGenerator<SearchedFile> {
  let isFolder = false
  for await (const { real, inner } of walkFiles(located, {
    skip: MADE_BY_OTHERS,
    maxFiles: MOST_FILES,
    signal,
    onLeftOut: (folder) => leftOut.push(folder),
  })) {
    isFolder = true
    signal?.throwIfAborted()
    // By its path, so that the same rules hold as for one that is named.
    const found = await roots.locate(real).catch(() => undefined)
    // A name that is no UTF-8 is not what it is read as.
    if (!found?.exists) leftOut.push(real)
    else if (!found.isSensitive) yield { located: found, inner }
  }
  if (!isFolder) yield { located, inner: located.path }
}

/** A file that can be searched as text. The one that was named is there. */
async function textOf(located: Located, leftOut: string[]): Promise<string | undefined> {
  try {
    const { bytes } = await readLocated(located, LARGEST)
    return bytes.includes(0) ? undefined : new TextDecoder().decode(bytes)
  } catch (error) {
    if (!(error instanceof WorkspaceRefusal)) throw error
    if (error.code === 'no_permission') leftOut.push(located.real)
    return undefined
  }
}

interface Hit {
  /** From 1; 0 for the gap between two places. */
  readonly number: number
  readonly line: string
  readonly isMatch: boolean
}

/** Whether a line matches as it stands in the file: if none does, nothing has to be masked. */
function hasMatch(text: string, matches: (line: string) => boolean): boolean {
  for (let from = 0; from < text.length;) {
    const end = text.indexOf('\n', from)
    const line = text.slice(from, end === -1 ? text.length : end)
    if (matches(line.endsWith('\r') ? line.slice(0, -1) : line)) return true
    if (end === -1) return false
    from = end + 1
  }
  return false
}

/** The lines that match as they are shown, with those around them: what is masked is not searched. */
export function searchLines(
  masked: readonly MaskedLine[],
  matches: (line: string) => boolean,
  context: number,
): { lines: Hit[]; count: number } {
  const all = masked.map(({ text }) => text.replace(/\r?\n$/, ''))
  const hits: number[] = []
  all.forEach((line, index) => {
    if (matches(line)) hits.push(index)
  })
  const lines: Hit[] = []
  const isHit = new Set(hits)
  let next = 0
  for (const hit of hits) {
    const from = Math.max(next, hit - context)
    if (context > 0 && next > 0 && from > next) lines.push({ number: 0, line: '', isMatch: false })
    for (let index = from; index <= Math.min(hit + context, all.length - 1); index++) {
      lines.push({
        number: masked[index]?.first ?? 0,
        line: all[index] ?? '',
        isMatch: isHit.has(index),
      })
      next = index + 1
    }
  }
  return { lines, count: hits.length }
}

function shorten(line: string): string {
  if (line.length <= LONGEST_LINE) return line
  const segment = new Intl.Segmenter()
    .segment(line.slice(0, LONGEST_LINE + 64))
    .containing(LONGEST_LINE)
  return `${line.slice(0, segment?.index ?? LONGEST_LINE)}…`
}
