import { posix } from 'node:path'
import { fileError } from './file-error.ts'

/** What a command has put at a path, in memory. */
export type Entry =
  | {
      readonly kind: 'file'
      readonly bytes: Uint8Array
      readonly mode: number
      readonly mtime: Date
    }
  | { readonly kind: 'folder'; readonly mode: number; readonly mtime: Date }
  | { readonly kind: 'gone' }

/** Bytes of all files in memory, and how many things there may be. */
const MOST_BYTES = 64_000_000
const MOST_ENTRIES = 20_000

/** What a command has changed, in bounded memory. */
export class OverlayEntries {
  readonly #entries = new Map<string, Entry>()
  #bytes = 0

  get(path: string): Entry | undefined {
    return this.#entries.get(path)
  }

  set(path: string, entry: Entry): void {
    const before = sizeOf(this.#entries.get(path))
    const total = this.#bytes - before + sizeOf(entry)
    if (total > MOST_BYTES || this.#entries.size >= MOST_ENTRIES) throw fileError('ENOSPC', path)
    this.#bytes = total
    this.#entries.set(path, entry)
  }

  /** Takes away what is at a path and below it. */
  remove(path: string): void {
    for (const other of this.#entries.keys()) {
      if (other.startsWith(`${path}/`)) this.#drop(other)
    }
    this.set(path, { kind: 'gone' })
  }

  #drop(path: string): void {
    this.#bytes -= sizeOf(this.#entries.get(path))
    this.#entries.delete(path)
  }

  /** Whether a folder above a path is not the one of the disk any more. */
  covers(path: string): boolean {
    if (this.#entries.size === 0) return false
    for (let above = posix.dirname(path); above !== '/'; above = posix.dirname(above)) {
      if (this.#entries.has(above)) return true
    }
    return false
  }

  /** Names in a folder, with those that are gone. */
  namesIn(folder: string): readonly string[] {
    const start = folder === '/' ? '/' : `${folder}/`
    return [...this.#entries.keys()]
      .filter((path) => path.startsWith(start) && !path.includes('/', start.length))
      .map((path) => path.slice(start.length))
  }

  paths(): readonly string[] {
    return [...this.#entries.keys()].toSorted()
  }
}

function sizeOf(entry: Entry | undefined): number {
  return entry?.kind === 'file' ? entry.bytes.length : 0
}
