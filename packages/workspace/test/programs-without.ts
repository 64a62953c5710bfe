import { mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

/** Makes a folder with all programs of the system but one, as on a machine on which it is not installed. */
export function programsWithout(missing: string, folder: string): string {
  mkdirSync(folder)
  const made = new Set([missing])
  for (const from of ['/usr/local/bin', '/usr/bin', '/bin']) {
    for (const name of readdirSync(from)) {
      if (made.has(name)) continue
      made.add(name)
      symlinkSync(join(from, name), join(folder, name))
    }
  }
  return folder
}
