import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { lstat, readdir, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { errorCode } from '@assent/engine/error-code'
import { z } from 'zod'
import { readLocated } from './open-file.ts'
import { privateFolder } from './private-folder.ts'
import { toRefusal } from './refusal.ts'
import type { Roots } from './roots.ts'
import { firstOfCommand } from './shell/visible-command.ts'
import { hashOf } from './text-file.ts'
import { visibleName } from './visible-name.ts'
import { LOCKS_FOLDER, withWriteLock } from './write-lock.ts'

const planned = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('file'),
    path: z.string(),
    hash: z.string(),
    mode: z.number().optional(),
  }),
  z.object({ kind: z.literal('folder'), path: z.string() }),
  z.object({ kind: z.literal('gone'), path: z.string() }),
])
const noted = z.object({
  writer: z.string().regex(/^[\w-]{12}$/),
  subject: z.string(),
  changes: z.array(planned),
})

/** What is to be at a real path when a call has written. */
export type PlannedChange = z.infer<typeof planned>

/** Writes that a process began and did not end. */
export interface LeftWrites {
  /** What was written of them, and what was not; for the model. */
  readonly text: string
  /** It was told. */
  forget(): void
}

/** Names the temporary files of this process. */
const WRITER = randomBytes(9).toString('base64url')
const MOST_NAMED = 20

/** Notes of what this process writes now. */
const own = new Set<string>()

/** The name of a new file that will take the place of another one. */
export function temporaryName(): string {
  return `${prefixOf(WRITER)}${randomBytes(9).toString('base64url')}.tmp`
}

function prefixOf(writer: string): string {
  return `.assent-${writer}-`
}

/**
 * Notes what a call is to write while it does, for the case that this process is killed. To be used under the
 * write lock of these files: whoever has that, and finds the note, knows that its writer is no more.
 */
export async function noteWrite<T>(
  subject: string,
  changes: readonly PlannedChange[],
  act: () => Promise<T>,
): Promise<T> {
  const name = `${randomBytes(9).toString('base64url')}.json`
  const path = join(privateFolder(LOCKS_FOLDER), name)
  own.add(name)
  try {
    try {
      writeFileSync(path, JSON.stringify({ writer: WRITER, subject, changes }), { mode: 0o600 })
    } catch (error) {
      throw toRefusal(error, subject)
    }
    return await act()
  } finally {
    rmSync(path, { force: true })
    own.delete(name)
  }
}

/** Finds what killed processes were writing in the folders of the tools, and removes their temporary files. */
export async function findLeftWrites(
  roots: Roots,
  maxFileBytes: number,
): Promise<LeftWrites | undefined> {
  const found: { file: string; text: string }[] = []
  for (const file of notesOfOthers()) {
    const text = await tellOf(file, roots, maxFileBytes)
    if (text !== undefined) found.push({ file, text })
  }
  if (found.length === 0) return undefined
  return {
    text: found.map(({ text }) => `[${text}]\n`).join(''),
    forget: () => found.forEach(({ file }) => rmSync(file, { force: true })),
  }
}

function notesOfOthers(): string[] {
  try {
    const folder = privateFolder(LOCKS_FOLDER)
    const names = readdirSync(folder).filter((name) => name.endsWith('.json') && !own.has(name))
    return names.map((name) => join(folder, name))
  } catch {
    // Every call that writes is told why; the others need not wait for that.
    return []
  }
}

/** None when its writer is at it, or when it is about other folders. */
async function tellOf(
  file: string,
  roots: Roots,
  maxFileBytes: number,
): Promise<string | undefined> {
  const note = readNote(file)
  if (!note || note.changes.some(({ path }) => !roots.rootOf(path))) return undefined
  const { subject, writer } = note
  // What takes the place of something at the same path comes after it.
  const changes = [...new Map(note.changes.map((change) => [change.path, change])).values()]
  const paths = changes.map(({ path }) => path)
  try {
    return await withWriteLock(paths, { subject, waitMs: 0 }, async () => {
      // It may have ended meanwhile.
      if (!readNote(file)) return undefined
      for (const one of new Set(paths.map((path) => dirname(path)))) await sweep(one, writer)
      const states = await Promise.all(changes.map((change) => isMade(change, roots, maxFileBytes)))
      const named = (isDone: boolean) => {
        const all = paths.filter((_, index) => states[index] === isDone)
        const shown = all.slice(0, MOST_NAMED).map((path) => visibleName(roots.show(path)))
        const more = all.length - shown.length
        return shown.join(', ') + (more > 0 ? ` and ${more} more` : '')
      }
      const [done, left] = [named(true), named(false)]
      return (
        `Before this call the server ended while it wrote the changes of “${firstOfCommand(subject)}”: ` +
        `${states.filter(Boolean).length} of ${states.length} were written.` +
        (done === '' ? '' : ` Written: ${done}.`) +
        (left === '' ? '' : ` Not written: ${left}.`)
      )
    })
  } catch {
    // Its writer is at it; or the lock cannot be had, which every call that writes is told.
    return undefined
  }
}

function readNote(file: string): z.infer<typeof noted> | undefined {
  try {
    return noted.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    // It is being written, or was taken back.
    return undefined
  }
}

/** Whether a path is as it was to be. */
async function isMade(change: PlannedChange, roots: Roots, maxFileBytes: number): Promise<boolean> {
  const { kind, path } = change
  try {
    const stats = await lstat(path)
    if (kind !== 'file') return kind === 'folder' && stats.isDirectory()
    if (change.mode !== undefined && (stats.mode & 0o777) !== change.mode) return false
    const { bytes } = await readLocated(await roots.locate(path), maxFileBytes)
    return hashOf(bytes) === change.hash
  } catch (error) {
    return kind === 'gone' && errorCode(error) === 'ENOENT'
  }
}

/** Removes the temporary files of a process that was killed. */
async function sweep(folder: string, writer: string): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  const left = names.filter((name) => name.startsWith(prefixOf(writer)) && name.endsWith('.tmp'))
  // What cannot be removed stays for a person.
  for (const name of left) await unlink(join(folder, name)).catch(() => {})
}
