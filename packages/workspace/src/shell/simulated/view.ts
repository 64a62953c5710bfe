import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
  type BigIntStats,
} from 'node:fs'
import { posix } from 'node:path'
import { isSensitivePath } from '../../sensitive-paths.ts'
import { fileError, isMissing } from './file-error.ts'
import type { MountedFolder } from './overlay-run.ts'

const { O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY } = constants

/** Something on the disk; `hidden` when a command is not to know that it is there. */
export interface DiskNode {
  readonly kind: 'file' | 'folder' | 'link' | 'other' | 'hidden'
  readonly size: number
  readonly mode: number
  readonly mtime: Date
  readonly dev: number
  readonly ino: number
  /** Another one after any change. */
  readonly signature: string
}

/** What of the disk a command sees. */
export interface View {
  /** The innermost folder that holds a path. */
  folderOf(path: string): MountedFolder | undefined
  /** Whether a path is sensitive by its name. */
  isHiddenName(path: string, isFolder: boolean): Promise<boolean>
  /** What is at a path whose folders are no links. The path itself is not followed. */
  look(path: string): Promise<DiskNode | undefined>
  /** Names in a folder, without those that are hidden. */
  list(path: string): Promise<readonly string[]>
  /** Every name in a folder. */
  listAll(path: string): readonly string[]
  /** What could not be looked at so far: it is not there for a command. */
  readonly leftOut: ReadonlySet<string>
  /** Reads a regular file. */
  read(path: string): Uint8Array
  readLink(path: string): string
}

/** Names that are looked at for other names of sensitive files. */
const MOST_NAMES = 200_000

/**
 * Looks at folders of the disk, without those files in them that may hold secrets: by their names, and
 * by other names that a hard link gave them. A path of this view has no links in it: whoever asks has
 * followed them, and what is opened is checked to be that very path.
 *
 * @param ownRule the app's rule about further sensitive paths, from their folder on
 */
export function openView(
  folders: readonly MountedFolder[],
  ownRule: ((path: string) => Promise<boolean>) | undefined,
  maxFileBytes: number,
): View {
  const known = new Map<string, Promise<boolean>>()
  const leftOut = new Set<string>()
  let hiddenFiles: Promise<ReadonlySet<string> | undefined> | undefined

  function folderOf(path: string): MountedFolder | undefined {
    return folders
      .filter((folder) => path === folder.path || path.startsWith(`${folder.path}/`))
      .toSorted((a, b) => b.path.length - a.path.length)[0]
  }

  async function isHiddenName(path: string, isFolder: boolean): Promise<boolean> {
    const folder = folderOf(path)
    if (!folder || path === folder.path) return false
    const inner = path.slice(folder.path.length + 1)
    if (isSensitivePath(isFolder ? `${inner}/` : inner)) return true
    if (!ownRule) return false
    const before = known.get(inner)
    const answer = before ?? ownRule(inner)
    if (!before) known.set(inner, answer)
    return answer
  }

  async function look(path: string): Promise<DiskNode | undefined> {
    const stats = statOf(path)
    if (!stats) return undefined
    const isHidden = (await isHiddenName(path, stats.isDirectory())) || (await isOtherName(stats))
    return nodeOf(stats, isHidden)
  }

  /** Whether a file is a hidden one under another name. */
  async function isOtherName(stats: BigIntStats): Promise<boolean> {
    if (!stats.isFile() || stats.nlink < 2n) return false
    hiddenFiles ??= findHiddenFiles()
    const found = await hiddenFiles
    // Too many names to know: then it may be one.
    return found === undefined || found.has(`${stats.dev}:${stats.ino}`)
  }

  async function findHiddenFiles(): Promise<ReadonlySet<string> | undefined> {
    const found = new Set<string>()
    /** Names of files that have more than one, by file: how many there are, and how many were seen. */
    const others = new Map<string, { links: number; seen: number }>()
    const rest = folders.map(({ path }) => path)
    let left = MOST_NAMES
    for (let folder = rest.pop(); folder !== undefined; folder = rest.pop()) {
      for (const name of readable(folder, namesIn) ?? []) {
        if (left-- <= 0) return undefined
        const path = posix.join(folder, name)
        const stats = readable(path, statOf)
        if (stats?.isDirectory()) rest.push(path)
        if (!stats?.isFile() || stats.nlink < 2n) continue
        const file = `${stats.dev}:${stats.ino}`
        const { seen = 0 } = others.get(file) ?? {}
        others.set(file, { links: Number(stats.nlink), seen: seen + 1 })
        if (await isHiddenName(path, false)) found.add(file)
      }
    }
    // A name that is where nobody can look may be that of a secret.
    if (leftOut.size === 0) return found
    for (const [file, { links, seen }] of others) if (seen < links) found.add(file)
    return found
  }

  /** What can be looked at; else it is left out. */
  function readable<VALUE>(path: string, look: (path: string) => VALUE): VALUE | undefined {
    try {
      return look(path)
    } catch {
      leftOut.add(path)
      return undefined
    }
  }

  async function list(path: string): Promise<readonly string[]> {
    const names: string[] = []
    for (const name of namesIn(path)) {
      if (readable(posix.join(path, name), statOf) === undefined) {
        // A name that is no UTF-8 is not what it is read as.
        leftOut.add(posix.join(path, name))
        continue
      }
      const node = await look(posix.join(path, name))
      if (node && node.kind !== 'hidden') names.push(name)
    }
    return names
  }

  return {
    folderOf,
    isHiddenName,
    look,
    leftOut,
    list,
    listAll: namesIn,
    read: (path) => readChecked(path, maxFileBytes),
    readLink: (path) => readlinkSync(path),
  }
}

function statOf(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true })
  } catch (error) {
    if (isMissing(error)) return undefined
    throw fileError('EACCES', path)
  }
}

function nodeOf(stats: BigIntStats, isHidden: boolean): DiskNode {
  const { dev, ino, size, mtimeNs, ctimeNs } = stats
  return {
    kind: isHidden ? 'hidden' : kindOf(stats),
    size: Number(size),
    mode: Number(stats.mode) & 0o777,
    mtime: stats.mtime,
    dev: Number(dev),
    ino: Number(ino),
    signature: [dev, ino, size, mtimeNs, ctimeNs].join(':'),
  }
}

function kindOf(stats: BigIntStats): DiskNode['kind'] {
  if (stats.isFile()) return 'file'
  if (stats.isDirectory()) return 'folder'
  return stats.isSymbolicLink() ? 'link' : 'other'
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted()
  } catch (error) {
    if (isMissing(error)) return []
    throw fileError('EACCES', folder)
  }
}

/** Reads a file that is opened without following a link, and is at its path still. */
function readChecked(path: string, maxBytes: number): Uint8Array {
  const file = open(path)
  try {
    const stats = fstatSync(file)
    if (!stats.isFile() || !isAt(file, path)) throw fileError('EACCES', path)
    if (stats.size > maxBytes) throw fileError('EFBIG', path)
    const bytes = Buffer.alloc(stats.size + 1)
    let length = 0
    for (;;) {
      const read = readSync(file, bytes, length, bytes.length - length, null)
      if (read === 0) break
      length += read
      // It has grown meanwhile.
      if (length === bytes.length) throw fileError('EAGAIN', path)
    }
    return new Uint8Array(bytes.subarray(0, length))
  } finally {
    closeSync(file)
  }
}

function open(path: string): number {
  try {
    return openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch (error) {
    throw fileError(isMissing(error) ? 'ENOENT' : 'EACCES', path)
  }
}

/** Whether no folder of a path has become a link meanwhile. */
function isAt(file: number, path: string): boolean {
  if (process.platform === 'linux') return readlinkSync(`/proc/self/fd/${file}`) === path
  return realpathSync.native(path) === path
}
