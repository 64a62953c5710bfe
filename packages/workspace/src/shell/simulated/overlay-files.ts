import { posix } from 'node:path'
import type { CpOptions, FileContent, IFileSystem, MkdirOptions, RmOptions } from 'just-bash'
import { fileError } from './file-error.ts'
import {
  encodingOf,
  NULL_DEVICE,
  OverlayReader,
  SCRATCH,
  type Encoding,
  type Found,
} from './overlay-reader.ts'

/**
 * The files of a command, for it to read and to change. Changes are kept in memory: nothing here writes
 * to the disk. No links are made. What may hold secrets can be neither changed nor removed.
 */
export class OverlayFiles extends OverlayReader implements IFileSystem {
  /** Throws unless something may be put at a place, or taken from there. */
  async #checkWritable(place: string, isMade?: 'folder'): Promise<void> {
    const folder = this.view.folderOf(place)
    if (!folder) {
      if (place.startsWith(`${SCRATCH}/`)) return
      throw fileError('EROFS', place)
    }
    if (folder.access === 'read') throw fileError('EROFS', place)
    if (this.folders.some((root) => root === place || root.startsWith(`${place}/`))) {
      throw fileError('EBUSY', place)
    }
    const kind = isMade ?? (await this.at(place))?.kind
    const isHidden =
      (await this.view.isHiddenName(place, kind === 'folder')) ||
      (!this.entries.get(place) && (await this.view.look(place))?.kind === 'hidden')
    if (!isHidden) return
    this.note(
      `${this.show(place)} may hold secrets, or decide what programs run: use write, which asks.`,
    )
    throw fileError('EACCES', place)
  }

  async #checkParent(place: string): Promise<void> {
    const parent = await this.at(posix.dirname(place))
    if (!parent) throw fileError('ENOENT', place)
    if (parent.kind !== 'folder') throw fileError('ENOTDIR', place)
  }

  async writeFile(path: string, content: FileContent, options?: Encoding): Promise<void> {
    await this.#put(path, () => toBytes(content, options))
  }

  async appendFile(path: string, content: FileContent, options?: Encoding): Promise<void> {
    await this.#put(path, (before) => Buffer.concat([before(), toBytes(content, options)]))
  }

  async #put(path: string, make: (before: () => Uint8Array) => Uint8Array): Promise<void> {
    const place = await this.resolve(path, true)
    if (place === NULL_DEVICE) return
    await this.#checkWritable(place)
    await this.#checkParent(place)
    const found = await this.at(place)
    if (found?.kind === 'folder') throw fileError('EISDIR', place)
    if (found && found.kind !== 'file') {
      this.note(`${this.show(place)} is no regular file: it is not written.`)
      throw fileError('EACCES', place)
    }
    if (found && (found.mode & 0o222) === 0) throw fileError('EACCES', place)
    // What would be lost must be known, too.
    if (found) this.checkSize(place, found.size)
    const bytes = make(() => (found ? this.bytesOf(place, found) : new Uint8Array()))
    this.checkSize(place, bytes.length)
    this.entries.set(place, {
      kind: 'file',
      bytes: new Uint8Array(bytes),
      mode: found?.mode ?? 0o644,
      mtime: new Date(),
    })
  }

  async mkdir(path: string, options?: MkdirOptions): Promise<void> {
    const place = await this.resolve(path, true)
    const found = await this.at(place)
    if (found) {
      if (options?.recursive && found.kind === 'folder') return
      throw fileError('EEXIST', path)
    }
    await this.#checkWritable(place, 'folder')
    if (options?.recursive) await this.mkdir(posix.dirname(place), options)
    await this.#checkParent(place)
    this.entries.set(place, { kind: 'folder', mode: 0o755, mtime: new Date() })
  }

  async rm(path: string, options?: RmOptions): Promise<void> {
    const place = await this.resolve(path, false)
    const found = await this.at(place)
    await this.#checkWritable(place)
    if (!found) {
      if (options?.force) return
      throw fileError('ENOENT', path)
    }
    if (found.kind === 'folder') {
      const names = await this.namesIn(place)
      if (names.length > 0 && !options?.recursive) throw fileError('ENOTEMPTY', path)
    }
    await this.#checkRemovable(place, found)
    this.entries.remove(place)
  }

  /** Throws when something goes along with it that the command does not see, or that is too large to be kept. */
  async #checkRemovable(place: string, found: Found): Promise<void> {
    if (found.kind === 'other') {
      this.note(`${this.show(place)} is no regular file: it stays.`)
      throw fileError('EACCES', place)
    }
    if (found.kind === 'file') this.checkSize(place, found.size)
    if (found.kind !== 'folder') return
    const isOnDisk = !this.entries.get(place) && !this.entries.covers(place)
    const names = await this.namesIn(place)
    const gone = this.entries.namesIn(place)
    const hidden = isOnDisk
      ? this.view.listAll(place).find((name) => !names.includes(name) && !gone.includes(name))
      : undefined
    if (hidden !== undefined) {
      this.note(`${this.show(place)} holds files that may hold secrets: it stays.`)
      throw fileError('EACCES', posix.join(place, hidden))
    }
    for (const name of names) {
      const inner = posix.join(place, name)
      const child = await this.at(inner)
      if (child) await this.#checkRemovable(inner, child)
    }
  }

  async cp(from: string, to: string, options?: CpOptions): Promise<void> {
    const { place, found } = await this.find(from)
    await this.#copy(place, found, await this.resolve(to, true), options?.recursive === true)
  }

  async #copy(place: string, found: Found, to: string, isDeep: boolean): Promise<void> {
    if (found.kind === 'link') throw this.#noLink(place)
    if (found.kind !== 'folder') {
      await this.writeFile(to, this.bytesOf(place, found))
      if (to !== NULL_DEVICE) await this.chmod(to, found.mode)
      return
    }
    if (!isDeep) throw fileError('EISDIR', place)
    if (to === place || to.startsWith(`${place}/`)) throw fileError('EINVAL', to)
    await this.mkdir(to, { recursive: true })
    for (const name of await this.namesIn(place)) {
      const inner = posix.join(place, name)
      const child = await this.at(inner)
      if (child) await this.#copy(inner, child, posix.join(to, name), true)
    }
  }

  async mv(from: string, to: string): Promise<void> {
    const { place, found } = await this.find(from, false)
    const target = await this.resolve(to, false)
    if (target === place) return
    await this.#checkWritable(place)
    await this.#checkRemovable(place, found)
    const there = await this.at(target)
    if (there && found.kind === 'folder' && there.kind !== 'folder') throw fileError('ENOTDIR', to)
    if (there?.kind === 'folder' && (await this.namesIn(target)).length > 0) {
      throw fileError('ENOTEMPTY', to)
    }
    if (there) await this.rm(target, { recursive: true })
    await this.#copy(place, found, target, true)
    this.entries.remove(place)
  }

  async chmod(path: string, mode: number): Promise<void> {
    const { place, found } = await this.find(path)
    await this.#checkWritable(place)
    const entry = this.entries.get(place)
    if (entry?.kind === 'folder') return this.entries.set(place, { ...entry, mode: mode & 0o777 })
    if (found.kind !== 'file') {
      this.note(`The mode of ${this.show(place)} is not changed: it is no regular file.`)
      throw fileError('EPERM', path)
    }
    const bytes = this.bytesOf(place, found)
    this.entries.set(place, { kind: 'file', bytes, mode: mode & 0o777, mtime: found.mtime })
  }

  async utimes(path: string, _atime: Date, mtime: Date): Promise<void> {
    const { place, found } = await this.find(path)
    await this.#checkWritable(place)
    const entry = this.entries.get(place)
    if (entry && entry.kind !== 'gone') return this.entries.set(place, { ...entry, mtime })
    this.note(`The times of ${this.show(place)} are not changed: this shell changes contents only.`)
    if (found.kind !== 'file') return
    const bytes = this.bytesOf(place, found)
    this.entries.set(place, { kind: 'file', bytes, mode: found.mode, mtime })
  }

  async symlink(_target: string, path: string): Promise<void> {
    throw this.#noLink(path)
  }

  async link(_existing: string, path: string): Promise<void> {
    throw this.#noLink(path)
  }

  #noLink(path: string): Error {
    this.note(`${this.show(path)}: this shell makes no links.`)
    return fileError('EPERM', path)
  }
}

function toBytes(content: FileContent, options: Encoding): Uint8Array {
  return typeof content === 'string' ? Buffer.from(content, encodingOf(options)) : content
}
