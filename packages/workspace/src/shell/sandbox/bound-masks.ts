import { dirname } from 'node:path'
import type { Replaced } from './sandbox-view.ts'

/** Above this number each further mount makes the start of a command much slower. */
export const MOST_MASKS = 100

/**
 * What is hidden, in at most {@link MOST_MASKS} places: where there are more, folders that hold many of
 * them are hidden as a whole. None when that would hide a root.
 */
export function boundMasks(
  hidden: readonly Replaced[],
  roots: readonly string[],
): readonly Replaced[] | undefined {
  let masks = withoutInner(hidden)
  while (masks.length > MOST_MASKS) {
    const counts = new Map<string, number>()
    for (const { path } of masks) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
    const candidates = [...counts].filter(([folder]) => !holdsRoot(folder, roots))
    // The deepest among those that hold most: as little else as can be is hidden with them.
    const [best] = candidates.toSorted(([a, inA], [b, inB]) => inB - inA || b.length - a.length)
    if (!best) return undefined
    masks = withoutInner([...masks, { path: best[0], by: 'hidden-folder' }])
  }
  return masks
}

function holdsRoot(folder: string, roots: readonly string[]): boolean {
  return roots.some((root) => root === folder || root.startsWith(`${folder}/`))
}

/** Without what is in a folder that is hidden as a whole, and each once. */
function withoutInner(hidden: readonly Replaced[]): Replaced[] {
  const byPath = new Map(hidden.map((one) => [one.path, one]))
  const folders = new Set(
    [...byPath.values()].flatMap(({ path, by }) => (by === 'hidden-folder' ? [path] : [])),
  )
  return [...byPath.values()].filter(({ path }) => {
    for (let at = dirname(path); at !== dirname(at); at = dirname(at)) {
      if (folders.has(at)) return false
    }
    return true
  })
}
