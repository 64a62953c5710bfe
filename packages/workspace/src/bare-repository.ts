import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Why a person is asked about a file of a repository. */
export const OF_REPOSITORY =
  'Git may take its folder for a repository, whose settings and hooks run programs.'

/** Without it no folder is a repository. Some systems do not tell the cases apart. */
const HEAD = /^head$/i

/**
 * Whether a file makes a folder a repository of Git, whatever the name of the folder, or is in one: its settings decide what
 * runs when somebody uses Git there.
 *
 * @param path absolute
 * @param root the folder of the workspace that it is in
 * @param plain folders that are known to be none, with what they are in; more are added
 */
export function isInRepository(path: string, root: string, plain = new Set<string>()): boolean {
  if (HEAD.test(basename(path))) return true
  for (let folder = dirname(path); folder.startsWith(root); folder = dirname(folder)) {
    if (plain.has(folder)) break
    if (['HEAD', 'head'].some((name) => existsSync(join(folder, name)))) return true
    plain.add(folder)
    if (folder === dirname(folder)) break
  }
  return false
}
