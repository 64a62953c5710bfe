import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { SandboxError } from './sandbox.ts'

const noted = z.object({ pid: z.number(), root: z.string(), absent: z.array(z.string()) })

/** Notes of commands that this process runs. */
const own = new Set<string>()

/**
 * Notes on the disk what was not there before a command, for the case that this process is killed while the
 * command runs. Commands cannot see the note.
 *
 * @returns takes the note back
 */
export function noteRun(root: string, absent: readonly string[]): () => void {
  const name = `${randomUUID()}.json`
  const path = join(notesFolder(), name)
  own.add(name)
  writeFileSync(path, JSON.stringify({ pid: process.pid, root, absent }), { mode: 0o600 })
  return () => {
    rmSync(path, { force: true })
    own.delete(name)
  }
}

/**
 * Puts aside what commands of killed processes have made. A person may have made it since: so nothing is
 * deleted.
 *
 * @returns what was put aside, and where it is now
 */
export function putAsideLeft(root: string): string[] {
  const folder = notesFolder()
  return readdirSync(folder).flatMap((name) => {
    if (own.has(name)) return []
    const path = join(folder, name)
    const note = readNote(path)
    if (note?.root !== root || (note.pid !== process.pid && isAlive(note.pid))) return []
    const left = note.absent.filter(isThere).map((made) => {
      const aside = `${made}.taken-away-${randomUUID().slice(0, 8)}`
      renameSync(made, aside)
      return `${made} (left by a command whose server was killed; now ${aside})`
    })
    rmSync(path, { force: true })
    return left
  })
}

function readNote(path: string): z.infer<typeof noted> | undefined {
  try {
    return noted.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    // It is being written, or was taken back.
    return undefined
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

/** A folder that only this user can write: whoever writes a note chooses what is put aside. */
function notesFolder(): string {
  const uid = process.getuid?.() ?? 0
  const folder = join(tmpdir(), `assent-runs-${uid}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const found = lstatSync(folder)
  if (!found.isDirectory() || found.uid !== uid || (found.mode & 0o022) !== 0) {
    throw new SandboxError(`${folder} is not a folder that only this user can write: remove it.`)
  }
  return folder
}
