import { constants } from 'node:fs'
import { lstat, mkdir, open, readdir, readlink, rmdir, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { errorCode } from '@assent/engine/error-code'
import { descriptorPath, openFolder, readLocated } from '../../open-file.ts'
import { toRefusal, WorkspaceRefusal } from '../../refusal.ts'
import { replaceFile } from '../../replace-file.ts'
import type { Roots } from '../../roots.ts'
import { visibleName } from '../../visible-name.ts'
import { hashOf } from '../../text-file.ts'
import type { PlannedChange } from '../../unfinished-writes.ts'
import type { Change, FileState } from './overlay-run.ts'

const { O_NOFOLLOW = 0, O_RDONLY } = constants

/** What came of writing changes. */
export interface Written {
  /** Paths that are as they were approved now. */
  readonly done: readonly string[]
  /** The first one that could not be written; those after it were not tried. */
  readonly failed?: Failure
  readonly left: readonly string[]
}

/** A change that cannot be written. */
export interface Failure {
  readonly path: string
  readonly error: unknown
}

/** Where changes are written. */
export interface Place {
  readonly roots: Roots
  readonly maxFileBytes: number
}

/** The first change that does not replace what the command saw, and why; none when all do. */
export async function findStale(
  changes: readonly Change[],
  place: Place,
): Promise<Failure | undefined> {
  const made = new Set(changes.filter(({ kind }) => kind === 'make-folder').map(({ path }) => path))
  const known = new Set(changes.map(({ path }) => path))
  for (const change of changes) {
    const { kind, path } = change
    try {
      // A folder that is still to be made holds nothing, and what goes first is in nobody's way.
      if (made.has(dirname(path))) continue
      const isReplaced =
        !('before' in change) &&
        kind !== 'delete-link' &&
        changes.some((other) => other.path === path && other !== change)
      if (!isReplaced) await check(change, place)
      if (kind !== 'remove-folder') continue
      const names = await readdir(path)
      if (names.some((name) => !known.has(join(path, name)))) throw changed(place.roots.show(path))
    } catch (error) {
      return { path, error }
    }
  }
  return undefined
}

/** Writes changes, one by one, each after a look at what it replaces. Stops at the first that fails. */
export async function writeChanges(changes: readonly Change[], place: Place): Promise<Written> {
  const done: string[] = []
  for (const [index, change] of changes.entries()) {
    try {
      await check(change, place)
      await write(change, place)
      done.push(change.path)
    } catch (error) {
      const left = changes.slice(index + 1).map(({ path }) => path)
      return { done, failed: { path: change.path, error }, left }
    }
  }
  return { done, left: [] }
}

/** What came of changes of which none was tried: one of them cannot be written. */
export function notWritten(changes: readonly Change[], failed: Failure): Written {
  const left = changes.map(({ path }) => path).filter((path) => path !== failed.path)
  return { done: [], failed, left }
}

/** What is to be at its path when a change was written. */
export function plannedOf(change: Change): PlannedChange {
  const { path } = change
  switch (change.kind) {
    case 'write':
      return { kind: 'file', path, hash: change.after.hash }
    case 'mode':
      return { kind: 'file', path, hash: change.before.hash, mode: change.mode }
    case 'make-folder':
      return { kind: 'folder', path }
    case 'delete':
    case 'delete-link':
    case 'remove-folder':
      return { kind: 'gone', path }
  }
}

/** Throws a refusal unless what a change replaces is what the command saw. */
async function check(change: Change, { roots, maxFileBytes }: Place): Promise<void> {
  const { path } = change
  const shown = roots.show(path)
  const folder = await roots.locate(dirname(path))
  if (folder.real !== dirname(path)) throw changed(shown)
  const root = roots.rootOf(path)
  if (!root || root.access === 'read') {
    throw new WorkspaceRefusal('read_only', shown, `${shown} is in a folder that may only be read.`)
  }
  if (change.kind === 'delete-link') {
    const target = await readlink(path).catch(() => undefined)
    if (target !== change.target) throw changed(shown)
    return
  }
  const located = await roots.locate(path)
  if (located.real !== path) throw changed(shown)
  if (located.isSensitive) {
    throw new WorkspaceRefusal('forbidden', shown, `${shown} may hold secrets: use write.`)
  }
  const before: FileState | undefined = 'before' in change ? change.before : undefined
  if (!before) {
    const stats = await lstat(path).catch(() => undefined)
    const isThere = stats !== undefined
    if (change.kind === 'remove-folder' ? !stats?.isDirectory() : isThere) throw changed(shown)
    return
  }
  const { bytes, stats } = await readLocated(located, maxFileBytes)
  if (hashOf(bytes) !== before.hash || (stats.mode & 0o777) !== before.mode) throw changed(shown)
}

async function write(change: Change, { roots }: Place): Promise<void> {
  const { path } = change
  switch (change.kind) {
    case 'write': {
      const { before, after, bytes } = change
      const isPlain = !before && after.mode === 0o644
      await replaceFile(await roots.locate(path), bytes, isPlain ? undefined : after.mode | 0o200)
      if ((after.mode & 0o200) === 0) await changeMode(path, after.mode)
      return
    }
    case 'mode':
      return changeMode(path, change.mode)
    case 'delete':
    case 'delete-link':
      return inFolder(path, unlink)
    case 'make-folder':
      return inFolder(path, (place) => mkdir(place))
    case 'remove-folder':
      return inFolder(path, rmdir)
  }
}

/** Does something to a name in a folder, which stays the same one whatever its path becomes. */
async function inFolder(path: string, act: (place: string) => Promise<void>): Promise<void> {
  const folder = await openFolder(dirname(path), path)
  try {
    await act(join(descriptorPath(folder) ?? dirname(path), basename(path)))
  } catch (error) {
    throw toRefusal(error, path)
  } finally {
    await folder.close()
  }
}

function changeMode(path: string, mode: number): Promise<void> {
  return inFolder(path, async (place) => {
    const handle = await open(place, O_RDONLY | O_NOFOLLOW)
    try {
      await handle.chmod(mode)
    } finally {
      await handle.close()
    }
  })
}

function changed(shown: string): WorkspaceRefusal {
  return new WorkspaceRefusal('changed', shown, `${shown} has changed since the command ran.`)
}

/** What of a command's changes was written, and what was not and why. */
export function partlyWritten(
  command: string,
  { done, failed, left }: Written,
  show: (path: string) => string,
): WorkspaceRefusal {
  const named = (paths: readonly string[]) =>
    paths.map((path) => visibleName(show(path))).join(', ')
  const path = failed ? visibleName(show(failed.path)) : ''
  const message =
    (done.length > 0 ? `only a part was written: ${named(done)}. ` : 'nothing was written. ') +
    `${path} was not: ${reasonOf(failed?.error)}` +
    (left.length > 0 ? ` Not tried: ${named(left)}.` : '')
  const code = failed?.error instanceof WorkspaceRefusal ? failed.error.code : 'invalid'
  return new WorkspaceRefusal(code, command, message, { cause: failed?.error })
}

function reasonOf(error: unknown): string {
  if (error instanceof WorkspaceRefusal) return error.message.replace(/^Refused: /, '')
  return `${errorCode(error) ?? (error instanceof Error ? error.message : String(error))}.`
}
