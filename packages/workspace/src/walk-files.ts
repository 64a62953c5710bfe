import { readdir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { openFolder } from './open-file.ts'
import { WorkspaceRefusal } from './refusal.ts'
import type { Located } from './roots.ts'

/** A file below a folder. */
export interface WalkedFile {
  readonly real: string
  /** From the folder on, with `/`. */
  readonly inner: string
}

export interface WalkOptions {
  /** Folders of these names are left out. */
  readonly skip: ReadonlySet<string>
  readonly maxFiles: number
  readonly signal: AbortSignal | undefined
  /** Told of what cannot be looked at: it is left out. */
  readonly onLeftOut?: (real: string) => void
}

/** Folders that hold what others have made. */
export const MADE_BY_OTHERS: ReadonlySet<string> = new Set(['.git', 'node_modules'])

/**
 * The files below a folder, by name, the links left out: neither are they files, nor are they
 * followed.
 */
export async function* walkFiles(
  located: Located,
  { skip, maxFiles, signal, onLeftOut }: WalkOptions,
): AsyncGenerator<WalkedFile> {
  let left = maxFiles
  const folders = [located.real]
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    signal?.throwIfAborted()
    const deeper: string[] = []
    for (const entry of await entriesOf(folder, located.path, onLeftOut)) {
      const real = join(folder, entry.name)
      if (entry.isDirectory() && !skip.has(entry.name)) deeper.push(real)
      if (!entry.isFile()) continue
      if (left-- <= 0) return
      yield { real, inner: relative(located.real, real).split(sep).join('/') }
    }
    folders.push(...deeper.toReversed())
  }
}

async function entriesOf(folder: string, path: string, onLeftOut?: (real: string) => void) {
  // What is no folder any more, or became a link, is left out.
  const handle = await openFolder(folder, path).catch((error: unknown) => {
    if (error instanceof WorkspaceRefusal && error.code === 'no_permission') onLeftOut?.(folder)
    return undefined
  })
  if (!handle) return []
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  } catch {
    return []
  } finally {
    await handle.close()
  }
}
