import { z } from 'zod'

/** UTF-16 code units: no system opens a longer path. */
const LONGEST_PATH = 4_096
/** Names in a path, each of which is looked up on the disk. */
const MOST_NAMES = 256
/** UTF-16 code units: a longer expression takes long to compile. */
const LONGEST_PATTERN = 1_000
/** UTF-16 code units: Linux hands no longer word to a program, and so none to `bash -c`. */
const LONGEST_COMMAND = 100_000

/** Input schemas of the texts that tools take. What is longer is refused before anything looks at it. */
export const pathText = z.string().min(1).max(LONGEST_PATH)
export const patternText = z.string().min(1).max(LONGEST_PATTERN)
export const commandText = z.string().min(1).max(LONGEST_COMMAND)

/** Whether a path is longer, or deeper, than what is looked up. */
export function isTooLong(path: string): boolean {
  if (path.length > LONGEST_PATH) return true
  let names = 0
  for (const character of path) if (character === '/' || character === '\\') names++
  return names > MOST_NAMES
}
