import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import { privateFolder } from '../../private-folder.ts'
import { visibleName } from '../../visible-name.ts'
import {
  putAsideRepositories,
  putAsideSettings,
  type GitBefore,
  type PutAside,
} from './git-left.ts'
import { isMark, ownMark, stateOf } from './process-mark.ts'
import { SandboxError } from './sandbox.ts'

const paths = z.array(z.string())
const noted = z.object({
  owner: z.string().refine(isMark),
  root: z.string(),
  /** Milliseconds: when the command must have ended. */
  latest: z.number(),
  before: z.object({ absent: paths, unbegun: paths, repositories: paths, within: paths }),
})

/** Milliseconds by which a command may end late. */
const LATE_MS = 60_000

/** Notes of commands that this process runs. */
const own = new Set<string>()

/**
 * Watches what a command brings into being, and notes on the disk what was there before, for the case that
 * this process is killed while the command runs. Commands cannot see the note.
 *
 * @param mostMs how long the command may run
 * @returns puts aside what decides what Git runs, when it is told what the repositories are by then; without
 *   that only what could be named before
 */
export function watchRun(
  root: string,
  before: GitBefore,
  mostMs: number,
): (now: readonly string[] | undefined) => string[] {
  const name = `${randomUUID()}.json`
  const path = join(notesFolder(), name)
  const latest = Date.now() + mostMs + LATE_MS
  own.add(name)
  writeFileSync(path, JSON.stringify({ owner: ownMark(), root, latest, before }), { mode: 0o600 })
  return (now) => {
    // Whatever fails below is tried again before the next command.
    own.delete(name)
    const aside = [...putAsideSettings(before), ...(now ? putAsideRepositories(before, now) : [])]
    if (now) rmSync(path, { force: true })
    return aside.map(inWords)
  }
}

/**
 * Puts aside what commands of killed processes have made. A person may have made it since: so nothing is
 * deleted.
 *
 * @param now the repositories that there are; without them only what could be named before is put aside
 * @returns what was put aside, and where it is now
 */
export function putAsideLeft(root: string, now?: readonly string[]): string[] {
  const folder = notesFolder()
  return readdirSync(folder).flatMap((name) => {
    if (own.has(name)) return []
    const path = join(folder, name)
    const note = readNote(path)
    if (note?.root !== root) return []
    if (note.owner !== ownMark() && stateOf(note.owner) === 'running') return []
    const { before, latest } = note
    const left = [
      ...putAsideSettings(before),
      ...(now ? putAsideRepositories(before, now, latest) : []),
    ]
    if (now) rmSync(path, { force: true })
    return left.map((one) => `${inWords(one)}, left by a command whose server was killed`)
  })
}

/** Whether commands of killed processes may have left something. */
export function isAnythingLeft(root: string): boolean {
  const folder = notesFolder()
  return readdirSync(folder).some(
    (name) => !own.has(name) && readNote(join(folder, name))?.root === root,
  )
}

function inWords({ path, aside }: PutAside): string {
  return visibleName(`${path} (now ${aside})`)
}

function readNote(path: string): z.infer<typeof noted> | undefined {
  try {
    return noted.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    // It is being written, or was taken back.
    return undefined
  }
}

/** Whoever writes a note chooses what is put aside. */
function notesFolder(): string {
  try {
    return privateFolder('assent-runs')
  } catch (error) {
    throw new SandboxError(error instanceof Error ? error.message : String(error))
  }
}
