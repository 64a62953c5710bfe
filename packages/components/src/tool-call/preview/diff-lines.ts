import type { PreviewedFile, ToolPreview } from '@assent/engine'
import { diffLines, diffWordsWithSpace, parsePatch } from 'diff'

/** A piece of a line; one that is not in the other version is marked. */
export interface DiffPiece {
  text: string
  isMarked: boolean
}

export interface DiffLine {
  kind: 'same' | 'added' | 'removed'
  /** From 1; none where the line is not in this version. */
  before?: number
  after?: number
  pieces: readonly DiffPiece[]
  /** It ends without a line break, other than the same place in the other version. */
  isOpenEnded?: boolean
}

/** Lines that are shown, or a run of unchanged ones that is folded. */
export interface DiffBlock {
  isFolded: boolean
  lines: readonly DiffLine[]
}

export interface DiffedFile {
  path: string | undefined
  change: 'changed' | 'new' | 'deleted'
  added: number
  removed: number
  blocks: readonly DiffBlock[]
}

/** Unchanged lines that are shown around a change. */
const CONTEXT = 3
/** A run this much longer than its context is folded. */
const FOLD_FROM = 4
/** Milliseconds after which two texts count as wholly different. */
const DIFF_MS = 250
const MARKED_LENGTH = 2_000
/** Lines with less in common than this are not marked word by word. */
const COMMON_SHARE = 0.3

/** The changes of every file of a preview, line by line. */
export function diffFiles(
  preview: Extract<ToolPreview, { kind: 'diff' | 'patch' }>,
): readonly DiffedFile[] {
  return preview.kind === 'diff' ? preview.files.map(diffFile) : readPatch(preview.patch)
}

function diffFile({ path, before, after }: PreviewedFile): DiffedFile {
  const lines = before === after ? [] : compare(before ?? '', after ?? '')
  const change = before === undefined ? 'new' : after === undefined ? 'deleted' : 'changed'
  return { path, change, ...counted(lines), blocks: folded(lines) }
}

/** All lines of both versions in order: removed ones before the added ones in their place. */
function compare(before: string, after: string): DiffLine[] {
  const changes = diffLines(before, after, { timeout: DIFF_MS }) ?? [
    { value: before, removed: true, added: false },
    { value: after, removed: false, added: true },
  ]
  const lines: DiffLine[] = []
  let old = 0
  let next = 0
  for (const { value, added, removed } of changes) {
    const kind = added ? 'added' : removed ? 'removed' : 'same'
    for (const text of linesOf(value)) {
      if (!added) old++
      if (!removed) next++
      const isOpenEnded = kind !== 'same' && !text.endsWith('\n')
      lines.push({
        kind,
        ...(!added && { before: old }),
        ...(!removed && { after: next }),
        pieces: [{ text: text.replace(kind === 'same' ? /\r?\n$/ : /\n$/, ''), isMarked: false }],
        ...(isOpenEnded && { isOpenEnded }),
      })
    }
  }
  return marked(lines)
}

/** With their line breaks; the last one may have none. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

/** Marks what differs within the lines that stand for each other. */
function marked(lines: DiffLine[]): DiffLine[] {
  let start = 0
  while (start < lines.length) {
    const added = endOf(lines, start, 'removed')
    const end = endOf(lines, added, 'added')
    if (added - start === end - added) {
      for (let place = start; place < added; place++) markPair(lines, place, place + added - start)
    }
    start = Math.max(end, start + 1)
  }
  return lines
}

function endOf(lines: readonly DiffLine[], start: number, kind: DiffLine['kind']): number {
  let end = start
  while (lines[end]?.kind === kind) end++
  return end
}

function markPair(lines: DiffLine[], removedAt: number, addedAt: number): void {
  const removed = lines[removedAt]
  const added = lines[addedAt]
  const from = removed?.pieces[0]?.text
  const to = added?.pieces[0]?.text
  if (!removed || !added || from === undefined || to === undefined) return
  if (from.length > MARKED_LENGTH || to.length > MARKED_LENGTH) return
  const words = diffWordsWithSpace(from, to)
  const common = words.filter((word) => !word.added && !word.removed)
  const share = common.reduce((sum, { value }) => sum + value.trim().length, 0)
  if (share < COMMON_SHARE * Math.max(from.trim().length, to.trim().length)) return
  const pieces = (skipped: 'added' | 'removed'): DiffPiece[] =>
    words
      .filter((word) => !word[skipped])
      .map((word) => ({ text: word.value, isMarked: word.added || word.removed }))
  lines[removedAt] = { ...removed, pieces: pieces('added') }
  lines[addedAt] = { ...added, pieces: pieces('removed') }
}

/** Runs of unchanged lines but for those next to a change. */
function folded(lines: readonly DiffLine[]): DiffBlock[] {
  const isNear = new Set<number>()
  for (const [place, { kind }] of lines.entries()) {
    if (kind === 'same') continue
    for (let near = place - CONTEXT; near <= place + CONTEXT; near++) isNear.add(near)
  }
  const blocks: DiffBlock[] = []
  let start = 0
  while (start < lines.length) {
    const isFolded = !isNear.has(start)
    let end = start
    while (end < lines.length && !isNear.has(end) === isFolded) end++
    // To say that two lines are hidden takes as much room as the two.
    blocks.push({ isFolded: isFolded && end - start >= FOLD_FROM, lines: lines.slice(start, end) })
    start = end
  }
  return blocks
}

function counted(lines: readonly DiffLine[]): { added: number; removed: number } {
  const count = (wanted: DiffLine['kind']): number =>
    lines.filter(({ kind }) => kind === wanted).length
  return { added: count('added'), removed: count('removed') }
}

/** A unified diff as it is: what it leaves out stays unknown. Empty for what cannot be read. */
function readPatch(patch: string): DiffedFile[] {
  let files: ReturnType<typeof parsePatch>
  try {
    files = parsePatch(patch)
  } catch {
    return []
  }
  return files
    .filter(({ hunks }) => hunks.length > 0)
    .map(({ oldFileName, newFileName, hunks }) => {
      const blocks = hunks.map((hunk) => ({ isFolded: false, lines: linesOfHunk(hunk) }))
      const lines = blocks.flatMap((block) => block.lines)
      const isNew = oldFileName === '/dev/null'
      const isDeleted = newFileName === '/dev/null'
      const name = isDeleted ? oldFileName : newFileName
      return {
        path: name?.replace(/^[ab]\//, ''),
        change: isNew ? 'new' : isDeleted ? 'deleted' : 'changed',
        ...counted(lines),
        blocks,
      }
    })
}

function linesOfHunk(hunk: ReturnType<typeof parsePatch>[number]['hunks'][number]): DiffLine[] {
  let before = hunk.oldStart
  let after = hunk.newStart
  const lines: DiffLine[] = []
  for (const line of hunk.lines) {
    const pieces = [{ text: line.slice(1), isMarked: false }]
    const last = lines.at(-1)
    if (line.startsWith('+')) lines.push({ kind: 'added', after: after++, pieces })
    else if (line.startsWith('-')) lines.push({ kind: 'removed', before: before++, pieces })
    else if (!line.startsWith('\\')) {
      lines.push({ kind: 'same', before: before++, after: after++, pieces })
    } else if (last) lines[lines.length - 1] = { ...last, isOpenEnded: true }
  }
  return marked(lines)
}
