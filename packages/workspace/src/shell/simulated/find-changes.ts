import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import type { Change, FileState } from './overlay-run.ts'
import type { OverlayFiles } from './overlay-files.ts'
import type { Found } from './overlay-reader.ts'
import type { DiskNode, View } from './view.ts'

/** What a command would change. */
export interface FoundChanges {
  readonly changes: readonly Change[]
  /** Files that it put where nothing is kept. */
  readonly scratch: readonly string[]
  /** A file that somebody else changed while the command ran. */
  readonly moved: string | undefined
}

/** Changes of one command that a person can still look through. */
const MOST_CHANGES = 500
/** Bytes of a text that is shown. */
const LONGEST_TEXT = 100_000

/** There are more changes than anybody could look through. */
export class TooManyChanges extends Error {}

/** Compares what a command left with what is on the disk. Throws {@link TooManyChanges}. */
export async function findChanges(files: OverlayFiles, view: View): Promise<FoundChanges> {
  const changes: Change[] = []
  const done = new Set<string>()
  const scratch: string[] = []
  let moved: string | undefined

  function add(change: Change): void {
    if (changes.length >= MOST_CHANGES) throw new TooManyChanges()
    changes.push(change)
  }

  async function compare(path: string): Promise<void> {
    if (done.has(path)) return
    done.add(path)
    const [now, before] = [await files.at(path), await view.look(path)]
    const known = files.signatures.get(path)
    if (known !== undefined && before?.signature !== known) moved ??= path
    if (before?.kind === 'folder') await compareBelow(path)
    if (before && before.kind !== now?.kind) remove(path, before)
    if (!now || now.kind === before?.kind) {
      if (now?.kind === 'file' && before) await compareFile(path, now, before)
    } else if (now.kind === 'folder') add({ kind: 'make-folder', path })
    else write(path, now, undefined)
  }

  async function compareBelow(folder: string): Promise<void> {
    if (!files.entries.get(folder) && !files.entries.covers(folder)) return
    for (const name of view.listAll(folder)) await compare(posix.join(folder, name))
  }

  function remove(path: string, before: DiskNode): void {
    if (before.kind === 'folder') add({ kind: 'remove-folder', path })
    else if (before.kind === 'link') {
      add({ kind: 'delete-link', path, target: view.readLink(path) })
    } else add({ kind: 'delete', path, before: stateOf(view.read(path), before.mode) })
  }

  async function compareFile(path: string, now: Found, node: DiskNode): Promise<void> {
    if (!now.bytes) return
    const before = stateOf(view.read(path), node.mode)
    // What was read just now may be what somebody else has written since the look.
    if ((await view.look(path))?.signature !== node.signature) moved ??= path
    if (before.hash !== stateOf(now.bytes, now.mode).hash) write(path, now, before)
    else if (now.mode !== node.mode) add({ kind: 'mode', path, before, mode: now.mode })
  }

  function write(path: string, now: Found, before: FileState | undefined): void {
    const bytes = files.bytesOf(path, now)
    add({ kind: 'write', path, ...(before && { before }), after: stateOf(bytes, now.mode), bytes })
  }

  for (const path of files.entries.paths()) {
    if (view.folderOf(path)) await compare(path)
    else if (files.entries.get(path)?.kind === 'file') scratch.push(path)
  }
  return { changes: inOrder(changes), scratch, moved }
}

const FIRST = ['delete', 'delete-link', 'remove-folder']
const ORDER = ['make-folder', 'write', 'mode', ...FIRST]

/**
 * What comes goes before what goes, so that nothing moved is ever nowhere, unless it takes the place of
 * something else; of folders that go the inner ones first.
 */
function inOrder(changes: readonly Change[]): readonly Change[] {
  const made = changes.filter(({ kind }) => !FIRST.includes(kind)).map(({ path }) => path)
  const isInTheWay = ({ kind, path }: Change) =>
    FIRST.includes(kind) &&
    made.some((one) => one === path || one.startsWith(`${path}/`) || path.startsWith(`${one}/`))
  const rankOf = (change: Change) =>
    isInTheWay(change) ? FIRST.indexOf(change.kind) - FIRST.length : ORDER.indexOf(change.kind)
  return changes
    .map((change) => ({ change, rank: rankOf(change) }))
    .toSorted(
      (a, b) =>
        a.rank - b.rank ||
        (a.change.kind === 'remove-folder'
          ? b.change.path.length - a.change.path.length
          : a.change.path < b.change.path
            ? -1
            : 1),
    )
    .map(({ change }) => change)
}

function stateOf(bytes: Uint8Array, mode: number): FileState {
  const hash = createHash('sha256').update(bytes).digest('base64')
  const text = textOf(bytes)
  return { hash, size: bytes.length, mode, ...(text !== undefined && { text }) }
}

function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.length > LONGEST_TEXT || bytes.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
