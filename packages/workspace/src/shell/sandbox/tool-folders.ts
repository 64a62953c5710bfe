import { realpathSync, statSync } from 'node:fs'

import { basename, delimiter, dirname, join } from 'node:path'
import { isInside } from '../../roots.ts'
import { entryAt } from './entry-at.ts'
import { homeFolder } from './home-folder.ts'

/** Folders that are in every view. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/nix/store']
/** What programs beside a folder `bin` need of the folder above it. */
const BESIDE_BIN = ['lib', 'lib64', 'libexec', 'include', 'share']
/** What a version manager, whose programs are in a folder `shims`, needs of the folder above it. */
const BESIDE_SHIMS = [
  ...BESIDE_BIN,
  ...'bin versions version installs plugins pyenv.d rbenv.d nodenv.d'.split(' '),
]
/** Where a home folder keeps the data of programs, secrets too. */
const DATA_OF_HOME = /\/\.local$/

/**
 * The folders of a path whose programs commands may start, and what belongs to them, by their real
 * paths. Not those of the workspace, of a home folder itself, and what others can write.
 */
export function toolFolders(path: string, roots: readonly string[]): string[] {
  const home = homeFolder()
  const found = path.split(delimiter).flatMap((entry) => {
    const folder = realFolder(entry)
    if (folder === undefined || !isTrusted(folder)) return []
    if (SYSTEM.some((one) => isInside(one, folder))) return []
    if (folder === '/' || isInside(folder, home)) return []
    if (roots.some((root) => isInside(root, folder) || isInside(folder, root))) return []
    return [folder, ...belongings(folder, home)]
  })
  return [...new Set(found)]
}

/** What the programs of a folder need beside it. */
function belongings(folder: string, home: string): string[] {
  const above = dirname(folder)
  if (above === '/' || isInside(above, home)) return []
  return namesBeside(folder, above)
    .map((name) => realPath(join(above, name)))
    .filter((one): one is string => one !== undefined && isTrusted(one) && !isInside(one, home))
}

function namesBeside(folder: string, above: string): readonly string[] {
  if (basename(folder) === 'shims') return BESIDE_SHIMS
  return basename(folder) === 'bin' && !DATA_OF_HOME.test(above) ? BESIDE_BIN : []
}

/** Nobody but this user and root can change it. */
function isTrusted(folder: string): boolean {
  const found = entryAt(folder)
  if (typeof found !== 'object') return false
  const { uid, mode } = found
  return (uid === 0 || uid === process.getuid?.()) && (mode & 0o022) === 0
}

function realFolder(path: string): string | undefined {
  const real = realPath(path)
  return real !== undefined && statSync(real).isDirectory() ? real : undefined
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

/** What cannot be looked at is none. */
function isProgram(file: string): boolean {
  try {
    const found = statSync(file)
    return found.isFile() && (found.mode & 0o111) !== 0
  } catch {
    return false
  }
}

/** The first program of a name on a path. */
export function findProgram(name: string, path: string): string | undefined {
  for (const folder of path.split(delimiter)) {
    if (isProgram(join(folder, name))) return join(folder, name)
  }
  return undefined
}
