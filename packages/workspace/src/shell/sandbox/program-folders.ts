import { basename, join, relative } from 'node:path'
import { isSensitivePath } from '../../sensitive-paths.ts'
import { boundMasks } from './bound-masks.ts'
import { realPathOf } from './byte-paths.ts'
import { entryAt } from './entry-at.ts'
import { createHiddenSearch, TooManyEntriesError } from './find-hidden.ts'
import type { Replaced } from './sandbox-view.ts'

/** Folders of programs as a command sees them. */
export interface ShownPrograms {
  readonly folders: readonly string[]
  /** What in them may hold secrets. */
  readonly masks: readonly Replaced[]
}

/** Milliseconds after which a folder is looked through again: commands cannot change it, people seldom do. */
const FRESH_MS = 60_000
/** What a package brings is public, its keys for tests too. */
const OF_PACKAGES =
  /(?:^|\/)(?:node_modules|site-packages|dist-packages|python\d[\d.]*|ruby|gems|perl5?|rustlib)\/(.*)$/
/** In packages only hidden files, and keys that somebody has put there: programs need the rest. */
const PUT_THERE = /(?:^|\/)(?:\.[^/]+|id_[^/]*)(?:\/|$)/

interface Looked {
  readonly search: () => Promise<readonly Replaced[] | undefined>
  readonly at: number
  readonly masks: Promise<readonly Replaced[] | undefined>
}

/** By their paths, for all workspaces of this process. */
const looked = new Map<string, Looked>()

/** Looks through folders of programs. One with too much in it to be looked through is not shown. */
export async function showPrograms(folders: readonly string[]): Promise<ShownPrograms> {
  const shown: string[] = []
  const masks: Replaced[] = []
  for (const folder of new Set(folders)) {
    const found = await masksIn(folder)
    if (!found) continue
    shown.push(folder)
    masks.push(...found)
  }
  // No folder of them must stay as it is.
  return { folders: shown, masks: boundMasks(masks, []) ?? [] }
}

/** Whether a path, from a folder of programs on, may lead to secrets. */
export function isSensitiveProgramPath(path: string): boolean {
  if (!isSensitivePath(path)) return false
  const [, inPackage] = OF_PACKAGES.exec(path) ?? []
  return inPackage === undefined || PUT_THERE.test(inPackage)
}

function masksIn(folder: string): Promise<readonly Replaced[] | undefined> {
  const now = performance.now()
  const before = looked.get(folder)
  if (before && now - before.at < FRESH_MS) return before.masks
  const search = before?.search ?? createSearch(folder)
  const masks = search()
  looked.set(folder, { search, at: now, masks })
  // One that failed is tried again.
  masks.catch(() => looked.delete(folder))
  return masks
}

function createSearch(folder: string): Looked['search'] {
  // An app may name one by a link: it is shown there.
  const real = entryAt(folder) === undefined ? folder : realPathOf(folder)
  const search = createHiddenSearch(real, isSensitiveProgramPath)
  return async () => {
    try {
      const { secrets, doors, repositories } = await search()
      const git = repositories.filter((path) => basename(path).toLowerCase() === '.git')
      const masks = [...secrets, ...doors, ...git.map(hiddenGit)]
      return masks.map(({ path, by }) => ({ path: join(folder, relative(real, path)), by }))
    } catch (error) {
      if (error instanceof TooManyEntriesError) return undefined
      throw error
    }
  }
}

function hiddenGit(path: string): Replaced {
  const entry = entryAt(path)
  const isFolder = typeof entry === 'object' && entry.isDirectory()
  return { path, by: isFolder ? 'hidden-folder' : 'hidden-file' }
}
