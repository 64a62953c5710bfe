import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A folder of a test's own, on the real disk. */
export interface Scratch {
  /** Its real path. */
  readonly path: string
  /** Writes files by their paths; those whose text begins with `->` are links. */
  write(files: Readonly<Record<string, string>>): void
  remove(): void
}

export function createScratch(): Scratch {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'assent-node-')))
  return {
    path,
    write(files) {
      for (const [name, text] of Object.entries(files)) {
        const file = join(path, name)
        mkdirSync(dirname(file), { recursive: true })
        if (text.startsWith('->')) symlinkSync(text.slice(2), file)
        else writeFileSync(file, text)
      }
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  }
}
