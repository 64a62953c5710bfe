import { lstatSync, type Stats } from 'node:fs'
import { dirname } from 'node:path'
import { errorCode } from '@assent/engine/error-code'
import { onDisk } from './byte-paths.ts'

/** Why nothing can be at a path: a part of it is no folder, leads nowhere, or is longer than any name. */
const NOTHING: ReadonlySet<string | undefined> = new Set([
  'ENOENT',
  'ENOTDIR',
  'ELOOP',
  'ENAMETOOLONG',
])

/**
 * What is at a path itself; `unknown` where nobody can tell, as in a folder that is locked. Whoever asks decides
 * what is safe then.
 */
export function entryAt(path: string): Stats | 'unknown' | undefined {
  try {
    return lstatSync(onDisk(path))
  } catch (error) {
    return NOTHING.has(errorCode(error)) ? undefined : 'unknown'
  }
}

/** Whether something is certainly at a path. */
export function isThere(path: string): boolean {
  return typeof entryAt(path) === 'object'
}

/** The folder above a path that keeps from telling what is there. */
export function lockedAbove(path: string): string {
  const folder = dirname(path)
  return entryAt(folder) === 'unknown' && folder !== dirname(folder) ? lockedAbove(folder) : folder
}
