import type { Dirent } from 'node:fs'
import { lstat, opendir, realpath, stat } from 'node:fs/promises'
import { errorCode } from '@assent/engine/error-code'
import { isTooLong } from './input-bounds.ts'
import { matchesName } from './name-pattern.ts'

/** Names that are looked at for one command. */
const MOST_NAMES = 20_000
/** Paths whose links are followed for one command. */
const MOST_PATHS = 2_000
/** Names after which others have their turn. */
const AT_ONCE = 200

/** More would have to be looked at than one command may take. */
export class TooMuch extends Error {}

/** Looks at a disk for one command, within bounds. Throws {@link TooMuch} beyond them. */
export interface DiskLook {
  /** The real path; of what is missing, the place where it would be. None when that cannot be told. */
  realOf(path: string): Promise<string | undefined>
  entriesOf(folder: string): Promise<readonly Dirent[]>
  isFolder(path: string): Promise<boolean>
  /** To be awaited for each name that is looked at: now and then others have their turn. */
  turn(): Promise<void> | undefined
  /** The paths, from a folder on, that the shell would put in the place of a pattern. */
  matchesOf(folder: string, pattern: string): Promise<readonly string[]>
}

/** Makes what looks at the disk for one command. */
export function createDiskLook(): DiskLook {
  let names = 0
  let paths = 0
  let turns = 0
  const listed = new Map<string, readonly Dirent[]>()

  async function entriesOf(folder: string): Promise<readonly Dirent[]> {
    const known = listed.get(folder)
    if (known) return known
    const entries: Dirent[] = []
    try {
      for await (const entry of await opendir(folder)) {
        if (names++ >= MOST_NAMES) throw new TooMuch()
        entries.push(entry)
      }
    } catch (error) {
      // What cannot be listed is read by no command either.
      if (error instanceof TooMuch) throw error
    }
    listed.set(folder, entries)
    return entries
  }

  async function realOf(path: string): Promise<string | undefined> {
    if (paths++ >= MOST_PATHS) throw new TooMuch()
    if (isTooLong(path)) return undefined
    try {
      return await realpath(path)
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') return undefined
    }
    const [, folder = '', name = ''] = /^(.*?)\/+([^/]+)\/*$/s.exec(path) ?? []
    if (name === '' || name === '..' || name === '.' || (await isLink(path))) return undefined
    const real = folder === '' ? '/' : await realOf(folder)
    return real === undefined ? undefined : `${real === '/' ? '' : real}/${name}`
  }

  async function matchesOf(folder: string, pattern: string): Promise<readonly string[]> {
    let found = ['']
    let isSure = true
    for (const name of pattern.split('/').filter((one) => one !== '')) {
      // What stands before the first star is there or not; what stands behind one only counts if it is.
      isSure &&= !/[*?[]/.test(name)
      const next: string[] = []
      for (const path of found) {
        if (isSure) next.push(`${path}${name}/`)
        else {
          for (const entry of await entriesOf(`${folder}/${path}`)) {
            await turn()
            if (matchesName(entry.name, name)) next.push(`${path}${entry.name}/`)
          }
        }
      }
      found = next
    }
    return found.map((path) => path.slice(0, -1))
  }

  function turn(): Promise<void> | undefined {
    if (turns++ >= 2 * MOST_NAMES) throw new TooMuch()
    return turns % AT_ONCE === 0 ? othersFirst() : undefined
  }

  return { turn, realOf, entriesOf, isFolder, matchesOf }
}

/** Lets whatever else waits have its turn. */
function othersFirst(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch {
    return false
  }
}

async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink()
  } catch {
    return false
  }
}
