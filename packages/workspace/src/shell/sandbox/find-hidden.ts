import { lstatSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { errorCode } from '@assent/engine/error-code'
import { isInside } from '../../roots.ts'
import { bytesOf, isUtf8Name, onDisk, realPathOf } from './byte-paths.ts'
import { entryAt } from './entry-at.ts'
import { entriesOf, type Entry } from './folder-entries.ts'
import type { Replaced } from './sandbox-view.ts'

/** What of a folder commands do not get to see as it is. */
export interface FoundHidden {
  /** Files and folders that may hold secrets, and whatever has a name that is not UTF-8. */
  readonly secrets: readonly Replaced[]
  /**
   * Pipes and sockets with a name: through them a command could talk to who listens outside. And folders that
   * are locked: a command could unlock them.
   */
  readonly doors: readonly Replaced[]
  /** What is called `.git`, a folder or a file that names one, and folders that are repositories themselves. */
  readonly repositories: readonly string[]
}

/** What one folder held when it was looked through. */
interface Folder {
  /** When it changed last, as the kernel counts it: nobody can set this back. */
  readonly changed: bigint
  readonly deeper: readonly string[]
  /** Folders that may hold secrets: hidden as a whole, and looked through for repositories. */
  readonly hidden: readonly string[]
  readonly secrets: readonly Replaced[]
  /** Links whose names tell of secrets; where they lead to may change without the folder. */
  readonly links: readonly string[]
  readonly doors: readonly string[]
  readonly repositories: readonly string[]
  readonly names: readonly string[]
  /** Of the files of these names; looked up when a secret has another name somewhere. */
  inodes?: readonly number[]
}

/** One that could not be looked through. */
const LOCKED: Folder = {
  changed: -1n,
  deeper: [],
  hidden: [],
  secrets: [],
  links: [],
  doors: [],
  repositories: [],
  names: [],
}
/** Entries below a root. */
const MOST_ENTRIES = 400_000
/** Of a file that could not be looked at: it may be any. */
const UNKNOWN_INODE = -1
/** Milliseconds of looking before others have their turn. */
const SLICE_MS = 8
/** Nanoseconds in which a folder may change again without another time of change. */
const SAME_TIME_NS = 20_000_000n
/** Bytes of a path: below the limit of the kernel, as in a sandbox it is longer. */
const LONGEST_PATH = 4_000

/** Too much is below a folder to be looked through: what to hide there is not known. */
export class TooManyEntriesError extends Error {
  override readonly name = 'TooManyEntriesError'
  readonly code = 'too_many_entries'
}

/**
 * Makes a search for what is to be hidden below a folder. The first one looks at everything, each
 * further one at the folders that have changed since.
 *
 * @param isSensitive by the path from the root on; that of a folder ends with `/`
 */
export function createHiddenSearch(
  root: string,
  isSensitive: (path: string) => boolean,
): () => Promise<FoundHidden> {
  let known = new Map<string, Folder>()

  async function search(): Promise<FoundHidden> {
    const turn = createTurns()
    const seen = new Map<string, Folder>()
    const inHidden = new Set<string>()
    const folders = [root]
    let left = MOST_ENTRIES
    for (let path = folders.pop(); path !== undefined; path = folders.pop()) {
      const folder = await readFolder(path, root, isSensitive, known.get(path), turn)
      if (!folder) continue
      const { names, deeper, hidden } = folder
      left -= names.length + deeper.length + hidden.length
      if (left < 0) {
        throw new TooManyEntriesError(
          `More than ${MOST_ENTRIES} files are below ${root}: which of them to hide is not known.`,
        )
      }
      seen.set(path, folder)
      const isHidden = inHidden.has(path)
      for (const name of [...deeper, ...hidden]) folders.push(join(path, name))
      for (const name of isHidden ? [...deeper, ...hidden] : hidden) inHidden.add(join(path, name))
      await turn()
    }
    known = seen
    const all = [...seen].filter(([path]) => !inHidden.has(path))
    const secrets = all.flatMap(([path, folder]) => [
      ...folder.secrets,
      ...folder.links.flatMap((name) => endOf(join(path, name), root)),
    ])
    return {
      secrets: [...secrets, ...(await otherNames(all, secrets, turn))],
      doors: all.flatMap(([path, folder]): Replaced[] =>
        folder === LOCKED
          ? [{ path, by: 'hidden-folder' }]
          : folder.doors.map((name) => ({ path: join(path, name), by: 'hidden-file' })),
      ),
      repositories: [...seen.values()].flatMap(({ repositories }) => repositories),
    }
  }

  let running: Promise<FoundHidden> | undefined
  let next: Promise<FoundHidden> | undefined

  function start(): Promise<FoundHidden> {
    next = undefined
    running = search().finally(() => (running = undefined))
    return running
  }

  // One that runs may have passed by what has come since: who asks meanwhile shares the one after it.
  return () => {
    next ??= running?.then(start, start)
    return next ?? start()
  }
}

/** To be awaited again and again: now and then others have their turn. */
type Turn = () => Promise<void> | undefined

function createTurns(): Turn {
  let end = performance.now() + SLICE_MS
  return () => {
    if (performance.now() < end) return undefined
    return nextTurn().then(() => {
      end = performance.now() + SLICE_MS
    })
  }
}

async function readFolder(
  path: string,
  root: string,
  isSensitive: (path: string) => boolean,
  before: Folder | undefined,
  turn: Turn,
): Promise<Folder | undefined> {
  let changed: bigint
  let entries: Entry[]
  try {
    changed = lstatSync(onDisk(path), { bigint: true }).ctimeNs
    if (before?.changed === changed) return before
    entries = await entriesOf(path)
  } catch {
    const found = entryAt(path)
    if (path === root || typeof found !== 'object' || !found.isDirectory()) return undefined
    // A command could unlock it: what it holds is not known, so nobody sees it.
    return LOCKED
  }
  // What has a longer path can be neither looked at nor hidden by itself.
  if (path !== root && entries.some(({ name }) => isTooLong(join(path, name)))) return LOCKED
  const isFresh = BigInt(Date.now()) * 1_000_000n - changed < SAME_TIME_NS
  const deeper: string[] = []
  const hidden: string[] = []
  const secrets: Replaced[] = []
  const links: string[] = []
  const doors: string[] = []
  const names: string[] = []
  const repositories = isRepository(entries) ? [path] : []
  for (const { name, kind } of entries) {
    await turn()
    const at = join(path, name)
    const named = relative(root, at) + (kind === 'folder' ? '/' : '')
    // Some systems do not tell the cases apart.
    if (name.toLowerCase() === '.git') repositories.push(at)
    else if (kind !== 'link' && (!isUtf8Name(name) || isSensitive(named))) {
      secrets.push({ path: at, by: kind === 'folder' ? 'hidden-folder' : 'hidden-file' })
      if (kind === 'folder') hidden.push(name)
    } else if (kind === 'link') {
      if (isSensitive(named)) links.push(name)
    } else if (kind === 'folder') deeper.push(name)
    else if (kind === 'door') doors.push(name)
    else if (kind === 'file') names.push(name)
  }
  const seen = { deeper, hidden, secrets, links, doors, repositories, names }
  return { changed: isFresh ? -1n : changed, ...seen }
}

function isTooLong(path: string): boolean {
  return path.length > LONGEST_PATH / 3 && bytesOf(path).length > LONGEST_PATH
}

/** Whether Git takes a folder for a repository, whatever its name. */
function isRepository(entries: readonly Entry[]): boolean {
  const names = new Set(entries.map(({ name }) => name.toLowerCase()))
  return (
    names.has('head') && (names.has('commondir') || (names.has('objects') && names.has('refs')))
  )
}

/** Where a link leads to in the workspace. One that leads out of it leads nowhere in the view. */
function endOf(path: string, root: string): Replaced[] {
  try {
    const real = realPathOf(path)
    if (!isInside(root, real) || real === root) return []
    return [
      { path: real, by: statSync(onDisk(real)).isDirectory() ? 'hidden-folder' : 'hidden-file' },
    ]
  } catch {
    return []
  }
}

/** Hard links: the same file by a name that does not tell. */
async function otherNames(
  all: readonly (readonly [string, Folder])[],
  secrets: readonly Replaced[],
  turn: Turn,
): Promise<Replaced[]> {
  const shared = new Set<number>()
  let isAllKnown = true
  for (const secret of secrets) {
    const files = await filesOf(secret)
    if (!files) isAllKnown = false
    for (const path of files ?? []) {
      const found = entryAt(path)
      if (found === 'unknown') isAllKnown = false
      else if (found?.isFile() && found.nlink > 1) shared.add(found.ino)
      await turn()
    }
  }
  if (!isAllKnown) return anyShared(all, turn)
  if (shared.size === 0) return []
  const found: Replaced[] = []
  for (const [path, folder] of all) {
    folder.inodes ??= await inodesOf(path, folder.names, turn)
    for (const [index, inode] of folder.inodes.entries()) {
      const name = folder.names[index]
      if (name !== undefined && (shared.has(inode) || inode === UNKNOWN_INODE)) {
        found.push({ path: join(path, name), by: 'hidden-file' })
      }
    }
  }
  return found
}

/** Where a secret could not be looked at, each file with several names may be that one. */
async function anyShared(
  all: readonly (readonly [string, Folder])[],
  turn: Turn,
): Promise<Replaced[]> {
  const found: Replaced[] = []
  for (const [folder, { names }] of all) {
    for (const path of names.map((name) => join(folder, name))) {
      const entry = entryAt(path)
      if (entry === 'unknown' || (entry && entry.nlink > 1)) found.push({ path, by: 'hidden-file' })
      await turn()
    }
  }
  return found
}

/** A file that is hidden, or those of a folder that is; none where that cannot be looked through. */
async function filesOf({ path, by }: Replaced): Promise<string[] | undefined> {
  if (by !== 'hidden-folder') return [path]
  try {
    const entries = await entriesOf(path)
    const files = entries.map(({ name, kind }) =>
      filesOf({ path: join(path, name), by: kind === 'folder' ? 'hidden-folder' : 'hidden-file' }),
    )
    const all = await Promise.all(files)
    return all.every((one) => one !== undefined) ? all.flat() : undefined
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? [] : undefined
  }
}

async function inodesOf(path: string, names: readonly string[], turn: Turn): Promise<number[]> {
  const inodes: number[] = []
  for (const name of names) {
    const found = entryAt(join(path, name))
    inodes.push(found === 'unknown' ? UNKNOWN_INODE : (found?.ino ?? 0))
    await turn()
  }
  return inodes
}
