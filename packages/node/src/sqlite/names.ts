import { endOfNames as endOfTexts } from '@assent/engine/storage'

export { decodeName, encodeName } from '@assent/engine/storage'

/** What comes after every text: a value that is none. */
const AFTER_ALL = new Uint8Array([255])

/** The first value after all stored names that begin with a prefix, in the order of SQLite. */
export function endOfNames(prefix: string): string | Uint8Array {
  return endOfTexts(prefix) ?? AFTER_ALL
}
