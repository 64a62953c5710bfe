import { constants } from 'node:fs'
import { mkdir, open, realpath, rename, unlink, type FileHandle } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { errorCode } from '@assent/engine/error-code'
import { descriptorPath, moved, openFolder } from './open-file.ts'
import { toRefusal, WorkspaceRefusal } from './refusal.ts'
import type { Located } from './roots.ts'
import { temporaryName } from './unfinished-writes.ts'

const { O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_WRONLY } = constants

/**
 * Writes a file that was located, whole or not at all: into a new file beside it, which then takes
 * its place and its mode. Folders that are missing are made. Another name of the same file keeps what
 * it has. Throws a refusal.
 *
 * @param mode of the file that is replaced
 */
export async function replaceFile(
  located: Located,
  bytes: Uint8Array,
  mode: number | undefined,
): Promise<void> {
  const { root, path, real } = located
  checkWritable(located, mode)
  await makeFolders(root.path, dirname(real), path)
  const folder = await openFolder(dirname(real), path)
  try {
    // By its descriptor the folder stays the same one, whatever its path becomes meanwhile.
    const place = descriptorPath(folder) ?? dirname(real)
    const temporary = join(place, temporaryName())
    await writeNew(temporary, bytes, mode, path)
    try {
      if (
        descriptorPath(folder) === undefined &&
        (await realpath(temporary)) !== join(dirname(real), basename(temporary))
      )
        throw moved(path)
      await rename(temporary, join(place, basename(real)))
    } catch (error) {
      await unlink(temporary).catch(() => {})
      throw toRefusal(error, path)
    }
    await syncFolder(folder)
  } finally {
    await folder.close()
  }
}

/** Throws a refusal where a file is not to be written: by its root, or by its mode. */
export function checkWritable({ root, path }: Located, mode: number | undefined): void {
  if (root.access === 'read') {
    throw new WorkspaceRefusal('read_only', path, `${path} is in a folder that may only be read.`)
  }
  if (mode !== undefined && (mode & 0o222) === 0) {
    throw new WorkspaceRefusal('read_only', path, `${path} may not be written.`)
  }
}

/** Makes what is missing between a root and a folder, one by one: none of them may be a link. */
async function makeFolders(root: string, folder: string, path: string): Promise<void> {
  if (folder === root) return
  try {
    if ((await realpath(folder)) === folder) return
    throw moved(path)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw toRefusal(error, path)
  }
  await makeFolders(root, dirname(folder), path)
  const parent = await openFolder(dirname(folder), path)
  try {
    await mkdir(join(descriptorPath(parent) ?? dirname(folder), basename(folder)))
  } catch (error) {
    // Somebody else was faster; whether it is what is wanted is checked when it is opened.
    if (errorCode(error) !== 'EEXIST') throw toRefusal(error, path)
  } finally {
    await parent.close()
  }
}

async function writeNew(
  temporary: string,
  bytes: Uint8Array,
  mode: number | undefined,
  path: string,
): Promise<void> {
  let handle: FileHandle
  try {
    handle = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode ?? 0o666)
  } catch (error) {
    throw toRefusal(error, path)
  }
  try {
    await handle.writeFile(bytes)
    // What the process masks from new files an old one may have had.
    if (mode !== undefined) await handle.chmod(mode & 0o777)
    await handle.sync()
  } catch (error) {
    await unlink(temporary).catch(() => {})
    throw toRefusal(error, path)
  } finally {
    await handle.close()
  }
}

/** So that the new name outlives a loss of power, where a folder can be synchronised. */
async function syncFolder(folder: FileHandle): Promise<void> {
  await folder.sync().catch(() => {})
}
