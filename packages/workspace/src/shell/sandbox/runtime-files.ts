import { createHash, randomUUID } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { entryAt } from './entry-at.ts'
import { isMark, ownMark, stateOf } from './process-mark.ts'

/** What stands in the place of a file that may hold secrets. */
export const HIDDEN_TEXT =
  'This file may hold secrets: it is hidden from commands without the right "credentials".\n'

/** Files of this process that a sandbox shows in the place of others. */
export interface RuntimeFiles {
  readonly hiddenFile: string
  readonly hiddenFolder: string
  readonly emptyFolder: string
  /** A folder to try things in. */
  readonly trialFolder: string
  /** The path of a file with this content. */
  fileOf(content: string | Buffer): string
  /** Opens a file with this content that has no name: whoever gets its number reads it once. */
  openOnce(content: Buffer): number
}

const PREFIX = 'assent-sandbox-'

let files: RuntimeFiles | undefined
let folder: string | undefined

/** Makes them with the first use, and again when somebody has cleaned up; they go with this process. */
export function runtimeFiles(): RuntimeFiles {
  if (files && existsSync(files.hiddenFile)) return files
  if (folder === undefined) process.once('exit', removeFolder)
  else removeFolder()
  sweepRuntimeFolders()
  const base = realpathSync(mkdtempSync(join(tmpdir(), `${PREFIX}${ownMark()}-`)))
  folder = base
  const made = (name: string) => {
    const path = join(base, name)
    mkdirSync(path)
    return path
  }
  const hiddenFolder = made('hidden')
  const emptyFolder = made('empty')
  const trialFolder = made('trial')
  writeFileSync(join(hiddenFolder, 'HIDDEN.txt'), HIDDEN_TEXT, { mode: 0o444 })

  function fileOf(content: string | Buffer): string {
    const path = join(base, createHash('sha256').update(content).digest('hex').slice(0, 32))
    if (!existsSync(path)) writeFileSync(path, content, { mode: 0o444 })
    return path
  }

  function openOnce(content: Buffer): number {
    const path = join(base, randomUUID())
    writeFileSync(path, content, { mode: 0o600, flag: 'wx' })
    try {
      return openSync(path, 'r')
    } finally {
      rmSync(path)
    }
  }

  const hiddenFile = fileOf(HIDDEN_TEXT)
  files = { hiddenFile, hiddenFolder, emptyFolder, trialFolder, fileOf, openOnce }
  return files
}

/** Removes the folders of processes that were killed, by the marks in their names. */
export function sweepRuntimeFolders(): void {
  for (const name of readdirSync(tmpdir())) {
    const mark = name.startsWith(PREFIX) ? name.slice(PREFIX.length).replace(/-[^-]*$/, '') : ''
    if (!isMark(mark) || stateOf(mark) !== 'ended') continue
    const path = join(tmpdir(), name)
    const found = entryAt(path)
    const isFolder = typeof found === 'object' && found.isDirectory()
    if (!isFolder || found.uid !== process.getuid?.()) continue
    try {
      rmSync(path, { recursive: true, force: true })
    } catch {
      // Another process is at it, or it is for a person to look at.
    }
  }
}

function removeFolder(): void {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
}
