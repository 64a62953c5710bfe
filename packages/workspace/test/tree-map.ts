import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** What is below a folder, so exactly that no change goes unseen: nobody can set a time of change back. */
export function treeMap(folder: string): Map<string, string> {
  const map = new Map<string, string>()
  const folders = [folder]
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    const own = lstatSync(at, { bigint: true })
    map.set(at, `${own.ino} ${own.mode} ${own.ctimeNs}`)
    for (const entry of readdirSync(at, { withFileTypes: true })) {
      const path = join(at, entry.name)
      if (entry.isDirectory()) {
        folders.push(path)
        continue
      }
      const { ino, size, mode, mtimeNs, ctimeNs } = lstatSync(path, { bigint: true })
      map.set(path, `${ino} ${size} ${mode} ${mtimeNs} ${ctimeNs}`)
    }
  }
  return map
}

/** Paths whose entries differ between two maps. */
export function changesBetween(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): string[] {
  const all = new Set([...before.keys(), ...after.keys()])
  return [...all].filter((path) => before.get(path) !== after.get(path))
}
