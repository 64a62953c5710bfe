import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder with a few files for the tools of the server. */
export interface ScratchWorkspace {
  readonly path: string
  /** Deletes it. */
  remove(): void
}

const FILES: Readonly<Record<string, string>> = {
  'README.md':
    '# Scratch folder\n\nThe tools of the playground work here. It is made anew with every start.\n',
  'sales.csv': 'month,region,amount\n2026-08,north,1200\n2026-09,south,860\n2026-10,north,1410\n',
  'todo.txt': 'call the printer\nlaunch checklist\nbook the room\n',
  'launch/checklist.md': '- [x] press text\n- [ ] launch mail\n- [ ] thank the testers\n',
}

/** A fresh folder among the temporary ones. */
export function createScratchWorkspace(): ScratchWorkspace {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'assent-workspace-')))
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(join(path, name, '..'), { recursive: true })
    writeFileSync(join(path, name), text)
  }
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}
