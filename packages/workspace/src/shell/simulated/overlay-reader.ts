import { posix } from 'node:path'
import type { FsStat, IFileSystem } from 'just-bash'
import { fileError } from './file-error.ts'
import { OverlayEntries } from './overlay-entries.ts'
import type { View } from './view.ts'

/** How a text is written in bytes. */
export type Encoding = Parameters<IFileSystem['readFile']>[1]

/** Something that a command finds at a path. */
export interface Found {
  readonly kind: 'file' | 'folder' | 'link' | 'other'
  readonly size: number
  readonly mode: number
  readonly mtime: Date
  readonly dev?: number
  readonly ino?: number
  /** In memory only. */
  readonly bytes?: Uint8Array
}

/** Takes everything and keeps nothing. */
export const NULL_DEVICE = '/dev/null'
/** Outside of the folders a command may put things there; they go with it. */
export const SCRATCH = '/tmp'
const MOST_LINKS = 40
const MOST_NOTES = 8

/**
 * What a command reads: the files of the disk that are in view, and over them, in memory, what it has
 * changed. Links are followed within the folders only. What a program cannot say of a refusal stands in
 * `notes`.
 */
export class OverlayReader {
  readonly entries = new OverlayEntries()
  readonly notes = new Set<string>()
  /** Files of the disk that the command has met, as they were then. */
  readonly signatures = new Map<string, string>()
  protected readonly view: View
  /** The first one is where commands start. */
  protected readonly folders: readonly [string, ...string[]]
  readonly #maxFileBytes: number

  constructor(view: View, folders: readonly [string, ...string[]], maxFileBytes: number) {
    this.view = view
    this.folders = folders
    this.#maxFileBytes = maxFileBytes
  }

  note(text: string): void {
    if (this.notes.size < MOST_NOTES) this.notes.add(text)
  }

  /** A path in a note: from where the command starts. */
  protected show(place: string): string {
    const start = `${this.folders[0]}/`
    return place.startsWith(start) ? place.slice(start.length) : place
  }

  /** What is at a path without links in its folders; hidden things are not there. */
  async at(path: string): Promise<Found | undefined> {
    const entry = this.entries.get(path)
    if (entry?.kind === 'gone') return undefined
    if (entry?.kind === 'file') return { ...entry, size: entry.bytes.length }
    if (entry) return { ...entry, size: 0 }
    if (this.entries.covers(path)) return undefined
    if (!this.view.folderOf(path)) return this.#outside(path)
    const node = await this.view.look(path)
    if (!node) return undefined
    const { kind, signature, ...rest } = node
    if (kind === 'hidden') {
      this.note(
        `${this.show(path)} may hold secrets: this shell does not see it. Use read, which asks.`,
      )
      return undefined
    }
    if (kind === 'file' && !this.signatures.has(path)) this.signatures.set(path, signature)
    return { kind, ...rest }
  }

  #outside(path: string): Found | undefined {
    const there = { size: 0, mode: 0o755, mtime: new Date(0) }
    if (path === NULL_DEVICE) return { ...there, kind: 'other', mode: 0o666 }
    const isAbove = [...this.folders, NULL_DEVICE, `${SCRATCH}/x`].some((folder) =>
      folder.startsWith(path === '/' ? '/' : `${path}/`),
    )
    return isAbove ? { ...there, kind: 'folder' } : undefined
  }

  /** A path without links: those in its folders are followed, and, if wished, itself. */
  async resolve(path: string, isFollowed: boolean): Promise<string> {
    let rest = namesOf(path)
    let at = '/'
    let links = 0
    for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
      const next = posix.join(at, name)
      if (!isFollowed && rest.length === 0) return next
      const found = await this.at(next)
      if (found?.kind !== 'link') {
        at = next
        continue
      }
      if (++links > MOST_LINKS) throw fileError('ELOOP', path)
      const target = posix.resolve(at, this.view.readLink(next))
      if (!this.view.folderOf(target)) {
        this.note(
          `${this.show(next)} is a link that leads out of the workspace: it is not followed.`,
        )
        throw fileError('ENOENT', path)
      }
      rest = [...namesOf(target), ...rest]
      at = '/'
    }
    return at
  }

  protected async find(path: string, isFollowed = true): Promise<{ place: string; found: Found }> {
    const place = await this.resolve(path, isFollowed)
    const found = await this.at(place)
    if (!found) throw fileError('ENOENT', path)
    return { place, found }
  }

  bytesOf(place: string, found: Found): Uint8Array {
    if (found.kind === 'folder') throw fileError('EISDIR', place)
    if (found.bytes) return found.bytes.slice()
    if (place === NULL_DEVICE) return new Uint8Array()
    if (found.kind !== 'file') {
      this.note(`${this.show(place)} is no regular file: it is not read.`)
      throw fileError('EACCES', place)
    }
    this.checkSize(place, found.size)
    return this.view.read(place)
  }

  protected checkSize(place: string, size: number): void {
    if (size <= this.#maxFileBytes) return
    this.note(
      `${this.show(place)} has ${size} bytes; at most ${this.#maxFileBytes} are read or written here.`,
    )
    throw fileError('EFBIG', place)
  }

  async readFileBuffer(path: string): Promise<Uint8Array> {
    const { place, found } = await this.find(path)
    return this.bytesOf(place, found)
  }

  async readFile(path: string, options?: Encoding): Promise<string> {
    const bytes = await this.readFileBuffer(path)
    return Buffer.from(bytes).toString(encodingOf(options))
  }

  async exists(path: string): Promise<boolean> {
    try {
      await this.find(path)
      return true
    } catch {
      return false
    }
  }

  async stat(path: string): Promise<FsStat> {
    return statOf((await this.find(path)).found)
  }

  async lstat(path: string): Promise<FsStat> {
    return statOf((await this.find(path, false)).found)
  }

  async readdir(path: string): Promise<string[]> {
    const { place, found } = await this.find(path)
    if (found.kind !== 'folder') throw fileError('ENOTDIR', path)
    return this.namesIn(place)
  }

  /** Names in a folder, in order. */
  async namesIn(place: string): Promise<string[]> {
    const names = new Set<string>()
    const isOnDisk = !this.entries.get(place) && !this.entries.covers(place)
    if (isOnDisk && this.view.folderOf(place)) {
      for (const name of await this.view.list(place)) names.add(name)
    } else if (isOnDisk) {
      for (const folder of [...this.folders, NULL_DEVICE, `${SCRATCH}/`]) {
        const [name = ''] = folder.startsWith(place) ? namesOf(folder.slice(place.length)) : []
        if (name !== '') names.add(name)
      }
    }
    for (const name of this.entries.namesIn(place)) {
      if (this.entries.get(posix.join(place, name))?.kind === 'gone') names.delete(name)
      else names.add(name)
    }
    return [...names].toSorted()
  }

  async readdirWithFileTypes(path: string) {
    const place = await this.resolve(path, true)
    const names = await this.readdir(path)
    const kinds = await Promise.all(
      names.map(async (name) => (await this.at(posix.join(place, name)))?.kind),
    )
    return names.map((name, index) => ({
      name,
      isFile: kinds[index] === 'file',
      isDirectory: kinds[index] === 'folder',
      isSymbolicLink: kinds[index] === 'link',
    }))
  }

  async readlink(path: string): Promise<string> {
    const { place, found } = await this.find(path, false)
    if (found.kind !== 'link') throw fileError('EINVAL', path)
    return this.view.readLink(place)
  }

  async realpath(path: string): Promise<string> {
    return (await this.find(path)).place
  }

  resolvePath(base: string, path: string): string {
    return posix.resolve(base, path)
  }

  /** Programs that want all paths at once look through the folders themselves instead. */
  getAllPaths(): string[] {
    return []
  }
}

function namesOf(path: string): string[] {
  return posix
    .resolve('/', path)
    .split('/')
    .filter((name) => name !== '')
}

function statOf({ kind, size, mode, mtime, dev, ino }: Found): FsStat {
  return {
    size,
    mode,
    mtime,
    ...(dev !== undefined && { dev }),
    ...(ino !== undefined && { ino }),
    isFile: kind === 'file',
    isDirectory: kind === 'folder',
    isSymbolicLink: kind === 'link',
  }
}

/** The encoding that options name. */
export function encodingOf(options: Encoding): BufferEncoding {
  const given = typeof options === 'string' ? options : options?.encoding
  return given ?? 'utf8'
}
