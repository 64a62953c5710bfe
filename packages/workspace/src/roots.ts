import { realpathSync, statSync } from 'node:fs'
import { lstat, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { errorCode } from '@assent/engine/error-code'
import { isTooLong } from './input-bounds.ts'
import { isSensitivePath } from './sensitive-paths.ts'
import { oddOnWindows } from './odd-names.ts'
import { toRefusal, WorkspaceRefusal } from './refusal.ts'

/** A folder beside the workspace that the tools may use. */
export interface WorkspaceRoot {
  /** Its path. It must exist. */
  readonly path: string
  /** Default: `'write'`. */
  readonly access?: 'read' | 'write'
}

/** A folder that the tools may use, by its real path. */
export interface Root {
  /** How paths name it: `state:notes.md`; the workspace itself has none. */
  readonly name: string | undefined
  readonly path: string
  /** As it was given, before its links were followed. */
  readonly given: string
  readonly access: 'read' | 'write'
}

/** Where a path leads to. */
export interface Located {
  readonly root: Root
  /** The real path. What is missing of it is as it was given. */
  readonly real: string
  /** As it was given. */
  readonly path: string
  readonly exists: boolean
  /** It may hold secrets, or decide what programs run. */
  readonly isSensitive: boolean
}

export interface Roots {
  /** The workspace itself, and then the others. */
  readonly all: readonly [Root, ...Root[]]
  /**
   * Finds where a path leads to, links followed. Throws a {@link WorkspaceRefusal} when that is
   * outside, or cannot be told.
   */
  locate(path: string): Promise<Located>
  /** The absolute path that a path says, no link followed; none where that is outside, or no path. */
  withoutLinks(path: string): string | undefined
  /** The root in which a real path is. */
  rootOf(real: string): Root | undefined
  /** A real path as the tools show it: from its root. */
  show(real: string): string
}

/**
 * Reads which folders may be used. Throws a `TypeError` for one that does not exist or is no folder,
 * and for a name that is none.
 */
export function openRoots(
  workspace: string,
  others: Readonly<Record<string, string | WorkspaceRoot>> = {},
  isSensitive: (path: string) => boolean = isSensitivePath,
): Roots {
  const all: [Root, ...Root[]] = [openRoot(undefined, { path: workspace })]
  for (const [name, root] of Object.entries(others)) {
    all.push(openRoot(name, typeof root === 'string' ? { path: root } : root))
  }

  function rootOf(real: string): Root | undefined {
    const inside = all.filter((root) => isInside(root.path, real))
    // The innermost one, which may permit less or more.
    return inside.toSorted((a, b) => b.path.length - a.path.length)[0]
  }

  function show(real: string): string {
    const root = rootOf(real)
    if (!root) return real
    const inner = relative(root.path, real).split(sep).join('/') || '.'
    return root.name === undefined ? inner : `${root.name}:${inner}`
  }

  /** The path without its links resolved, and the part of it that is inside of its root. */
  function readPath(path: string): { absolute: string; named: string } {
    if (path === '') throw new WorkspaceRefusal('invalid', path, 'the path is empty.')
    if (isTooLong(path)) throw new WorkspaceRefusal('invalid', path, 'the path is too long.')
    if (path.includes('\0')) throw new WorkspaceRefusal('invalid', path, 'the path holds a NUL.')
    const [, name = '', rest = ''] = /^([A-Za-z][\w-]+):(?![\\/]{2})(.*)$/s.exec(path) ?? []
    const byName = name === '' ? undefined : all.find((root) => root.name === name)
    const inner = byName ? rest || '.' : path
    const odd = process.platform === 'win32' ? oddOnWindows(inner) : undefined
    if (odd) throw new WorkspaceRefusal('invalid', path, `the path cannot be used: ${odd}.`)
    const root = byName ?? all[0]
    if (byName && isAbsolute(inner)) throw outside(path)
    const absolute = resolve(root.path, inner)
    for (const base of isAbsolute(inner) ? all : [root]) {
      for (const from of [base.path, base.given]) {
        if (isInside(from, absolute)) {
          const named = relative(from, absolute)
          return { absolute: join(base.path, named), named }
        }
      }
    }
    throw outside(path)
  }

  async function locate(path: string): Promise<Located> {
    const { absolute, named } = readPath(path)
    const { real, exists } = await followLinks(absolute, path)
    const root = rootOf(real)
    if (!root) throw outside(path)
    const inner = relative(root.path, real)
    let saysSo = isSensitive(named)
    const isFolder = exists && (saysSo || isSensitive(inner)) && (await isFolderAt(real))
    if (isFolder) saysSo = isSensitive(`${named}/`)
    if (isSensitive(isFolder ? `${inner}/` : inner) && !saysSo) {
      // Whoever was asked was asked about the path as it was given.
      throw new WorkspaceRefusal(
        'link',
        path,
        `${path} is a link to ${show(real)}, which may hold secrets. Name that file itself.`,
      )
    }
    return { root, real, path, exists, isSensitive: saysSo }
  }

  function withoutLinks(path: string): string | undefined {
    try {
      return readPath(path).absolute
    } catch (error) {
      if (error instanceof WorkspaceRefusal) return undefined
      throw error
    }
  }

  return Object.freeze({ all, locate, withoutLinks, rootOf, show })
}

function openRoot(name: string | undefined, { path, access = 'write' }: WorkspaceRoot): Root {
  if (name !== undefined && !/^[A-Za-z][\w-]+$/.test(name)) {
    throw new TypeError(
      `"${name}" cannot name a root: it takes two or more letters, digits, _ and -.`,
    )
  }
  const given = resolve(path)
  let real: string
  try {
    real = realpathSync.native(given)
  } catch (cause) {
    throw new TypeError(`The root ${given} does not exist. Make the folder first.`, { cause })
  }
  if (!statSync(real).isDirectory()) throw new TypeError(`The root ${given} is no folder.`)
  return { name, path: real, given, access }
}

/** Whether a path is a folder or below it; both absolute, without `.` and `..`. */
export function isInside(folder: string, path: string): boolean {
  const inner = relative(folder, path)
  return inner === '' || (!isAbsolute(inner) && inner !== '..' && !inner.startsWith(`..${sep}`))
}

/** Follows all links. What is not there yet is added to the real path of what is. */
async function followLinks(
  absolute: string,
  path: string,
): Promise<{ real: string; exists: boolean }> {
  const missing: string[] = []
  for (let at = absolute; ; at = dirname(at)) {
    try {
      return { real: join(await realpath(at), ...missing), exists: missing.length === 0 }
    } catch (error) {
      if (errorCode(error) !== 'ENOENT' || at === dirname(at)) throw toRefusal(error, path)
      if (await isLink(at)) {
        throw new WorkspaceRefusal(
          'link',
          path,
          `${path} goes through a link to what does not exist.`,
        )
      }
      missing.unshift(basename(at))
    }
  }
}

async function isFolderAt(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isDirectory()
  } catch {
    return false
  }
}

async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink()
  } catch {
    return false
  }
}

function outside(path: string): WorkspaceRefusal {
  return new WorkspaceRefusal(
    'outside',
    path,
    `${path} is outside of the folders that these tools may use.`,
  )
}
