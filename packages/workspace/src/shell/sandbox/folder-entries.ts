import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { onDisk, textOfBytes } from './byte-paths.ts'

/** Something in a folder. */
export interface Entry {
  readonly name: string
  readonly kind: 'folder' | 'link' | 'file' | 'door' | 'device'
}

/** What is in a folder. Throws where it cannot be read. */
export async function entriesOf(folder: string): Promise<Entry[]> {
  const entries = await readdir(onDisk(folder), { withFileTypes: true, encoding: 'buffer' })
  return entries.map((entry) => ({ name: textOfBytes(entry.name), kind: kindOf(entry) }))
}

function kindOf(entry: Dirent<Buffer>): Entry['kind'] {
  if (entry.isDirectory()) return 'folder'
  if (entry.isSymbolicLink()) return 'link'
  if (entry.isFile()) return 'file'
  return entry.isFIFO() || entry.isSocket() ? 'door' : 'device'
}
