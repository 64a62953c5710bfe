import { lstatSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder of this user's that others can get at, so that nothing may be kept in it. */
export class PrivateFolderError extends Error {
  override readonly name = 'PrivateFolderError'
  readonly code = 'folder_not_private'

  constructor(folder: string) {
    super(`${folder} is not a folder that only this user can use: remove it.`)
  }
}

/**
 * A folder for notes that all processes of this user share, and nobody else can get at. Throws a
 * {@link PrivateFolderError} when somebody else can.
 */
export function privateFolder(name: string): string {
  const uid = process.getuid?.()
  const folder = join(tmpdir(), `${name}-${uid ?? 0}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const found = lstatSync(folder)
  // Windows keeps a folder for temporary files for each user, and has no modes.
  const isOwn = uid === undefined || (found.uid === uid && (found.mode & 0o077) === 0)
  if (!found.isDirectory() || !isOwn) throw new PrivateFolderError(folder)
  return folder
}
