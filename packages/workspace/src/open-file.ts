import { constants, type Stats } from 'node:fs'
import { open, readlink, realpath, stat, type FileHandle } from 'node:fs/promises'
import { toRefusal, WorkspaceRefusal } from './refusal.ts'
import type { Located } from './roots.ts'

const { O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY, O_DIRECTORY = 0 } = constants

/** What a file holds, and what it is. */
export interface OpenedFile {
  readonly bytes: Uint8Array
  readonly stats: Stats
}

/**
 * Reads a file that was located. It is opened without following a link, and what was opened is
 * checked again, so that it cannot be swapped for another one in between. Throws a refusal.
 *
 * @param maxBytes a larger one is refused
 */
export async function readLocated(located: Located, maxBytes: number): Promise<OpenedFile> {
  // A pipe must not be waited for.
  const handle = await openChecked(located.real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, located.path)
  try {
    const stats = await handle.stat()
    if (!stats.isFile()) {
      const kind = stats.isDirectory() ? 'a folder' : 'no file'
      throw new WorkspaceRefusal('wrong_kind', located.path, `${located.path} is ${kind}.`)
    }
    if (stats.size > maxBytes) throw tooLarge(located.path, stats.size, maxBytes)
    const bytes = await readAtMost(handle, maxBytes + 1)
    if (bytes.length > maxBytes) throw tooLarge(located.path, bytes.length, maxBytes)
    return { bytes, stats }
  } finally {
    await handle.close()
  }
}

/** Opens a folder whose real path is known, and checks that it is that one. */
export function openFolder(real: string, path: string): Promise<FileHandle> {
  return openChecked(real, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, path)
}

async function openChecked(real: string, flags: number, path: string): Promise<FileHandle> {
  let handle: FileHandle
  try {
    handle = await open(real, flags)
  } catch (error) {
    throw toRefusal(error, path)
  }
  try {
    if (!(await isAt(handle, real))) throw moved(path)
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Whether what is open is what is at a real path, no link having come in between. */
async function isAt(handle: FileHandle, real: string): Promise<boolean> {
  const own = descriptorPath(handle)
  if (own !== undefined) return (await readlink(own)) === real
  const [opened, there] = await Promise.all([handle.stat(), stat(real)])
  return opened.dev === there.dev && opened.ino === there.ino && (await realpath(real)) === real
}

/** Where the system shows what a descriptor is of, if it does. */
export function descriptorPath({ fd }: FileHandle): string | undefined {
  return process.platform === 'linux' ? `/proc/self/fd/${fd}` : undefined
}

async function readAtMost(handle: FileHandle, length: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let total = 0
  while (total < length) {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(Math.min(65_536, length - total)))
    if (bytesRead === 0) break
    pieces.push(buffer.subarray(0, bytesRead))
    total += bytesRead
  }
  return Buffer.concat(pieces, total)
}

function tooLarge(path: string, size: number, maxBytes: number): WorkspaceRefusal {
  return new WorkspaceRefusal(
    'too_large',
    path,
    `${path} has ${size} bytes or more; at most ${maxBytes} are read. Look at a part of it with bash.`,
  )
}

/** What a path leads to has changed while it was used. */
export function moved(path: string): WorkspaceRefusal {
  return new WorkspaceRefusal(
    'changed',
    path,
    `what ${path} leads to changed meanwhile. Try again.`,
  )
}
