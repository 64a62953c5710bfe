import { randomUUID } from 'node:crypto'
import { chmodSync, lstatSync, renameSync, type Stats } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { errorCode } from '@assent/engine/error-code'
import { isInside } from '../../roots.ts'
import { WorkspaceRefusal } from '../../refusal.ts'
import { isHarmlessWork } from './begun-work.ts'
import { onDisk } from './byte-paths.ts'
import { entryAt } from './entry-at.ts'

/** What was not there before a command, and decides what Git runs. */
export interface GitBefore {
  /** Settings, hooks and what names them. */
  readonly absent: readonly string[]
  /** Where Git writes down what it goes on with later. */
  readonly unbegun: readonly string[]
  /** Everything that was a repository, or named one. */
  readonly repositories: readonly string[]
  /** The folders that all of this is in. */
  readonly within: readonly string[]
}

/** Something that has another name now. */
export interface PutAside {
  readonly path: string
  readonly aside: string
}

const HEAD = 'HEAD'

/** Puts aside settings and hooks that were not there before, and what was begun that could run a program. */
export function putAsideSettings({ absent, unbegun, within }: GitBefore): PutAside[] {
  const made = [
    ...absent.filter(isThere),
    ...unbegun.filter((path) => isThere(path) && !isHarmlessWork(path)),
  ]
  return made.flatMap((path) => putAside(path, within))
}

/**
 * Puts aside repositories that were not there before.
 *
 * @param now places called `.git` and folders of repositories
 * @param latest milliseconds: what was made after that is nothing of the command
 */
export function putAsideRepositories(
  { repositories, within }: GitBefore,
  now: readonly string[],
  latest = Infinity,
): PutAside[] {
  const known = new Set(repositories)
  const made = now.filter((path) => !known.has(path) && bornAt(path) <= latest)
  // The outer ones first: with them those inside of them are no longer there.
  return made
    .toSorted((a, b) => a.length - b.length)
    .flatMap((path) => {
      const isNamed = basename(path).toLowerCase() === '.git'
      return putAside(isNamed ? path : join(path, HEAD), within)
    })
}

/** Gives it another name, by which Git does not find it. */
function putAside(path: string, within: readonly string[]): PutAside[] {
  const made = firstLink(path, within)
  if (!isThere(made)) return []
  const aside = asideOf(made)
  rename(made, aside)
  const head = join(aside, HEAD)
  // Without it no folder is a repository.
  if (lstatSync(onDisk(aside)).isDirectory() && isThere(head)) rename(head, asideOf(head))
  return [{ path: made, aside }]
}

/** A command may have locked the folder that it is in. */
function rename(path: string, aside: string): void {
  try {
    renameSync(onDisk(path), onDisk(aside))
  } catch (error) {
    if (errorCode(error) !== 'EACCES') throw error
    const folder = dirname(path)
    const { mode } = lstatSync(onDisk(folder))
    chmodSync(onDisk(folder), mode | 0o300)
    renameSync(onDisk(path), onDisk(aside))
    chmodSync(onDisk(folder), mode)
  }
}

function asideOf(path: string): string {
  return `${path}.taken-away-${randomUUID().slice(0, 8)}`
}

/** A link on the way to a path may lead out of the workspace: then it is what has been made. */
function firstLink(path: string, within: readonly string[]): string {
  let at = within.find((one) => isInside(one, path)) ?? dirname(path)
  for (const name of relative(at, path).split('/')) {
    at = join(at, name)
    if (unlocked(at)?.isSymbolicLink()) return at
  }
  return path
}

/** When a file was made; nobody can set this. Of file systems that do not know it: at the beginning. */
function bornAt(path: string): number {
  return unlocked(path)?.birthtimeMs ?? 0
}

function isThere(path: string): boolean {
  return unlocked(path) !== undefined
}

/** What is at a path. A folder that a command has locked is unlocked for that. */
function unlocked(path: string): Stats | undefined {
  const entry = entryAt(path)
  if (entry !== 'unknown') return entry
  const folder = dirname(path)
  const above = folder === path ? undefined : unlocked(folder)
  try {
    if (above?.isDirectory()) chmodSync(onDisk(folder), above.mode | 0o300)
    return lstatSync(onDisk(path))
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return undefined
    const message = `what a command has left at ${path} cannot be looked at, and may decide what Git runs. Unlock ${folder}, or remove it.`
    throw new WorkspaceRefusal('no_permission', path, message, { cause })
  }
}
