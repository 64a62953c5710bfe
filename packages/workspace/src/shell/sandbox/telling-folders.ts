import { join, relative } from 'node:path'
import { isInside } from '../../roots.ts'

/** More of them would make the start of a command slow. */
const MOST = 100

/**
 * Folders whose names say that something below them may hold secrets, such as `.config` of `.config/gcloud/x`. Were
 * one of them renamed, the next command would see what is in it.
 *
 * @param hidden what is hidden, by its own path
 * @param isSensitive by the path from the root on
 */
export function tellingFolders(
  hidden: readonly string[],
  roots: readonly string[],
  isSensitive: (path: string) => boolean,
): string[] {
  const found = new Set<string>()
  for (const path of hidden) {
    const root = roots.find((one) => one !== path && isInside(one, path))
    if (root === undefined) continue
    const names = relative(root, path).split('/')
    // By another name, or because it cannot be looked at: no folder tells of it.
    if (!isSensitive(names.join('/'))) continue
    for (const at of names.keys()) {
      if (at === names.length - 1 || found.size >= MOST) break
      if (!isSensitive(names.with(at, 'x').join('/'))) {
        found.add(join(root, ...names.slice(0, at + 1)))
      }
    }
  }
  return [...found]
}
