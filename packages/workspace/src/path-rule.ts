import { globSync, lstatSync, readdirSync, realpathSync } from 'node:fs'
import { relative } from 'node:path'
import { errorCode } from '@assent/engine/error-code'
import {
  judgeInside,
  judgeKnownPath,
  judgeOutside,
  shown,
  type PathRequest,
  type PathRule,
} from './shell/path-rule.ts'
import { strictest, type Judgement } from './shell/verdict.ts'
import { judgeRepository } from './repository-rule.ts'
import type { Roots } from './roots.ts'

/** Whether a path, from its root on, leads to what may hold secrets. */
export type SensitiveRule = (path: string) => boolean

/** Names below a folder, and matches of a pattern, that are looked at. */
const MOST_NAMES = 20_000
const MOST_MATCHES = 2_000

/**
 * Judges the paths of commands by where they really lead to: links are followed, patterns expanded,
 * folders looked through for what may hold secrets.
 */
export function workspacePathRule(roots: Roots, isSensitive: SensitiveRule): PathRule {
  const [workspace] = roots.all

  function judge(request: PathRequest): Judgement {
    const { path, access, isPattern } = request
    const known = judgeKnownPath(request)
    if (known) return known
    // A shell would put a home folder in the place of it.
    if (path.startsWith('~')) return judgeOutside(request)
    if (isPattern) return judgePattern(request)
    const real = realOf(path.startsWith('/') ? path : `${workspace.path}/${path}`)
    if (real === undefined) {
      return { verdict: 'ask', reason: `where ${shown(path)} leads to cannot be told` }
    }
    const root = roots.rootOf(real)
    if (!root) return judgeOutside(request)
    if (access === 'write' && root.access === 'read') {
      return { verdict: 'deny', reason: `${shown(path)} is in a folder that may only be read` }
    }
    if (access === 'repository') return judgeRepository(real)
    const inner = relative(root.path, real) || '.'
    const byName = judgeInside({ ...request, isPattern: false })
    const byPlace: Judgement =
      access !== 'list' && isSensitive(inner)
        ? { verdict: 'ask', reason: `${shown(path)} may hold secrets` }
        : byName
    if (access !== 'tree' && access !== 'visible-tree') return strictest([byName, byPlace], byName)
    return strictest(
      [byName, byPlace, judgeTree(real, path, access === 'tree', isSensitive)],
      byName,
    )
  }

  function judgePattern(request: PathRequest): Judgement {
    const byName = /^\/|(?:^|\/)\.\.(?:\/|$)/.test(request.path)
      ? judgeOutside(request)
      : judgeInside(request)
    if (byName.verdict !== 'allow') return byName
    const matches = globSync(request.path, { cwd: workspace.path })
    if (matches.length > MOST_MATCHES) {
      return { verdict: 'ask', reason: `${shown(request.path)} matches too many files` }
    }
    const each = matches.map((path) => judge({ ...request, path, isPattern: false }))
    return strictest([byName, ...each], byName)
  }

  return judge
}

/** The real path; of what is missing, the place where it would be. None when that cannot be told. */
function realOf(path: string): string | undefined {
  try {
    // By the system: `a/..` is the folder above what `a` leads to.
    return realpathSync.native(path)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') return undefined
  }
  const [, folder = '', name = ''] = /^(.*?)\/+([^/]+)\/*$/s.exec(path) ?? []
  if (name === '' || name === '..' || name === '.' || isLink(path)) return undefined
  const real = folder === '' ? '/' : realOf(folder)
  return real === undefined ? undefined : `${real === '/' ? '' : real}/${name}`
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink()
  } catch {
    return false
  }
}

/** Whether something below a folder may hold secrets. */
function judgeTree(
  folder: string,
  path: string,
  isAll: boolean,
  isSensitive: SensitiveRule,
): Judgement {
  let left = MOST_NAMES
  const folders = ['']
  for (let inner = folders.pop(); inner !== undefined; inner = folders.pop()) {
    for (const entry of entriesOf(`${folder}/${inner}`)) {
      if (!isAll && (entry.name.startsWith('.') || entry.name === 'node_modules')) continue
      if (left-- <= 0) return { verdict: 'ask', reason: `too much is below ${shown(path)}` }
      const name = inner === '' ? entry.name : `${inner}/${entry.name}`
      if (entry.isDirectory()) folders.push(name)
      else if (isSensitive(name)) {
        return { verdict: 'ask', reason: `reads ${shown(name)} too, which may hold secrets` }
      }
    }
  }
  return { verdict: 'allow', reason: 'reads only' }
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
