import { canEndSensitiveName, isSensitivePath } from '../sensitive-paths.ts'
import { visibleName } from '../visible-name.ts'
import type { Right } from './rights.ts'
import type { Judgement } from './verdict.ts'

/**
 * What a command wants of a path: to tell of it and its names (`list`), to read the file (`read`) or
 * every file below the folder (`tree`), also where links lead to (`linked-tree`), or but for hidden
 * ones (`visible-tree`), to change it or what is below it (`write`), to use the repository of Git in
 * which the folder is (`repository`), or to read any file that is kept there (`history`).
 */
export type PathAccess =
  | 'list'
  | 'read'
  | 'tree'
  | 'linked-tree'
  | 'visible-tree'
  | 'write'
  | 'repository'
  | 'history'

/** A path that a command names. */
export interface PathRequest {
  /**
   * As the command says it, after the folders that it went into. Relative to where the command
   * starts, or absolute. `..` is not resolved: what it leads to depends on links.
   */
  readonly path: string
  readonly access: PathAccess
  /** The path holds `*`, `?` or `[…]`, and stands for all that match. */
  readonly isPattern: boolean
  /** Of what is below, only files with such names, which hold `*`, `?` or `[…]`. */
  readonly names?: readonly string[]
  /** Names that hold blanks or quotes would be read as other ones. */
  readonly isSplit?: true
}

/** Judges a path that a command names. Must be quick: nothing else runs meanwhile. */
export type PathRule = (request: PathRequest) => Judgement

/** Judges all paths that a command names, in their order, and takes the time that it needs. */
export type PathsRule = (requests: readonly PathRequest[]) => Promise<readonly Judgement[]>

/** Devices that hold nothing and keep nothing. */
const DEVICES = /^\/dev\/(?:null|stdin|stdout|stderr|fd\/\d+)$/
const NETWORK = /^\/dev\/(?:tcp|udp)\//

/** What is to be said about paths of which no file system is needed, if anything. */
export function judgeKnownPath({ path }: PathRequest): Judgement | undefined {
  if (path.includes('\0')) return { verdict: 'deny', reason: 'a path must not hold a NUL' }
  if (DEVICES.test(path)) return { verdict: 'allow', reason: 'a device' }
  if (NETWORK.test(path)) return { verdict: 'deny', reason: 'opens a network connection' }
  return undefined
}

/** What is asked about a file that may hold secrets. */
export const SECRET = { verdict: 'ask', needs: ['credentials'] } as const

function isGitSetting(path: string): boolean {
  return /(?:^|\/)\.git(?:\/|$)/i.test(path)
}

/** What is to be said about a path that is inside: by its name and by what is wanted of it. */
export function judgeInside({ path, access, isPattern, names = [] }: PathRequest): Judgement {
  const isSensitive = isSensitivePath(path)
  if (access === 'write') {
    const needs: readonly Right[] = isGitSetting(path)
      ? ['write', 'git-settings']
      : isSensitive
        ? ['write', 'credentials']
        : ['write']
    return { verdict: 'ask', reason: `changes ${shown(path)}`, needs }
  }
  if (access === 'list' || access === 'repository' || access === 'history') {
    return { verdict: 'allow', reason: 'tells names only' }
  }
  if (isSensitive) return { ...SECRET, reason: `${shown(path)} may hold secrets` }
  const hidden = names.find((name) =>
    /[*?[]/.test(name) ? mayMatchSensitive(name) : isSensitivePath(name),
  )
  if (hidden !== undefined) {
    return { ...SECRET, reason: `${shown(hidden)} may match files that hold secrets` }
  }
  if (isPattern && mayMatchSensitive(path)) {
    return { ...SECRET, reason: `${shown(path)} may match files that hold secrets` }
  }
  return { verdict: 'allow', reason: 'reads only' }
}

/** What is to be said about a path that is outside. */
export function judgeOutside({ path, access }: PathRequest): Judgement {
  return access === 'write'
    ? { verdict: 'deny', reason: `${shown(path)} is outside of the workspace` }
    : { verdict: 'ask', reason: `${shown(path)} is outside of the workspace` }
}

/**
 * The rule without a file system: a path is inside when nothing in its text leads out. Links are not
 * seen; the workspace's own rule looks at the real paths.
 */
export function judgePathByText(request: PathRequest): Judgement {
  const known = judgeKnownPath(request)
  if (known) return known
  const { path } = request
  const isInside = !/^(?:[/\\~]|[A-Za-z]:)/.test(path) && !path.split(/[\\/]/).includes('..')
  return isInside ? judgeInside(request) : judgeOutside(request)
}

/** A path in a sentence: short, and what could deceive is seen. */
export function shown(path: string): string {
  const visible = visibleName(path)
  return visible.length > 120 ? `${visible.slice(0, 60)}…${visible.slice(-59)}` : visible
}

/** Whether a pattern can stand for the name of a sensitive file: it can unless its ending says no. */
function mayMatchSensitive(pattern: string): boolean {
  const last = pattern.slice(pattern.lastIndexOf('/') + 1)
  // `*.json` may be `credentials.json`.
  const ending = /(\.[A-Za-z0-9]+)$/.exec(last)?.[1]
  if (ending === undefined || last.startsWith('.')) return true
  return canEndSensitiveName(ending)
}
