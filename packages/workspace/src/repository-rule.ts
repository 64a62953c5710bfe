import { lstat, readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { errorCode } from '@assent/engine/error-code'
import { readGitIndex, type TrackedFile } from './git-index.ts'
import { SECRET, shown } from './shell/path-rule.ts'
import type { Judgement } from './shell/verdict.ts'

/**
 * Settings by which Git runs a program while it only reads, gets what it lacks from another machine, or
 * that come from another file.
 */
const RUNS_PROGRAMS =
  /\[\s*(?:filter|gpg|include|includeif|pager)\b|\[\s*diff\s*(?:"|\.)|(?:^|[\s\]])(?:fsmonitor|pager|external|textconv|program|sshcommand|alternaterefscommand|showsignature|promisor|partialclone\w*)\s*(?:=|$)/im
const HOOKS_FOLDER = /(?:^|[\s\]])hookspath\s*=\s*(.*)$/im
/** The hook that Git runs when it has looked at the work tree anew, as `git status` does. */
const HOOK = 'post-index-change'
/** Repositories inside of one. */
const MOST_INSIDE = 50

const HARMLESS: Judgement = { verdict: 'allow', reason: 'reads only' }
const ASK: Judgement = {
  verdict: 'ask',
  reason: 'the settings of the repository may make Git run other programs',
}

/** A repository of Git on the disk. */
interface Repository {
  /** Where `HEAD` and the index are. */
  readonly folder: string
  /** Where the settings are; the same but for a work tree beside the main one. */
  readonly common: string
  /** None of a bare one. */
  readonly workTree: string | undefined
}

/**
 * Whether Git only reads when it is told to, in the repository in which a folder is: its settings may
 * come from somebody else, together with its files.
 */
export async function judgeRepository(folder: string): Promise<Judgement> {
  try {
    const repository = await findRepository(folder)
    return repository && (await runsPrograms(repository)) ? ASK : HARMLESS
  } catch {
    return ASK
  }
}

/** Whether files that may hold secrets are kept in the repository in which a folder is. */
export async function judgeTracked(
  folder: string,
  isSensitive: (path: string) => boolean,
  isSplit = false,
): Promise<Judgement> {
  try {
    const repository = await findRepository(folder)
    if (!repository) return HARMLESS
    const files = await trackedFiles(repository)
    const odd = isSplit ? files.find(({ path }) => /[\s"'\\]|^-/.test(path)) : undefined
    if (odd) return { verdict: 'ask', reason: `${shown(odd.path)} would be read as other words` }
    const sensitive = files.find(({ path }) => isSensitive(path))
    if (!sensitive) return HARMLESS
    const reason = `Git keeps ${shown(sensitive.path)}, which may hold secrets`
    return { ...SECRET, reason }
  } catch {
    return { verdict: 'ask', reason: 'which files Git keeps cannot be told' }
  }
}

/** The links that Git keeps in the work tree in which a folder is. */
export async function trackedLinks(folder: string): Promise<readonly string[]> {
  const repository = await findRepository(folder)
  const { workTree } = repository ?? {}
  if (!repository || workTree === undefined) return []
  const links = (await trackedFiles(repository)).filter(({ isLink }) => isLink)
  return links.map(({ path }) => join(workTree, path))
}

async function runsPrograms(repository: Repository, depth = 0): Promise<boolean> {
  const { folder, common, workTree } = repository
  const places = folder === common ? [folder] : [folder, common]
  for (const place of places) {
    for (const name of ['config', 'config.worktree']) {
      const text = await readIfAny(join(place, name))
      if (RUNS_PROGRAMS.test(text)) return true
      const [, hooks] = HOOKS_FOLDER.exec(text) ?? []
      if (hooks !== undefined && (await hasHook(hooks, workTree ?? folder))) return true
    }
  }
  if (await isThere(join(common, 'hooks', HOOK))) return true
  if (workTree === undefined) return false
  const inside = (await trackedFiles(repository)).filter(({ isRepository }) => isRepository)
  if (inside.length > MOST_INSIDE || (inside.length > 0 && depth > 3)) return true
  for (const { path } of inside) {
    const inner = await repositoryAt(join(workTree, path))
    if (inner && (await runsPrograms(inner, depth + 1))) return true
  }
  return false
}

async function hasHook(setting: string, from: string): Promise<boolean> {
  const path = setting.trim().replace(/^"(.*)"$/, '$1')
  // A comment, an escape, or the home of another user.
  if (/["\\#;]|^~[^/]/.test(path)) return true
  const folder = path.startsWith('~/') ? join(homedir(), path.slice(2)) : path
  return isThere(join(isAbsolute(folder) ? folder : resolve(from, folder), HOOK))
}

/** The repository in which a folder is. */
async function findRepository(folder: string): Promise<Repository | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    const found = await repositoryAt(at)
    if (found) return found
    if (at === dirname(at)) return undefined
  }
}

/** The repository that a folder is the root of, or that it is itself. */
async function repositoryAt(at: string): Promise<Repository | undefined> {
  const place = join(at, '.git')
  const kind = await kindOf(place)
  if (kind !== undefined) {
    const folder = kind === 'folder' ? place : await linkedFolder(place)
    const common = (await readIfAny(join(folder, 'commondir'))).trim()
    return { folder, common: common === '' ? folder : resolve(folder, common), workTree: at }
  }
  // Git takes a folder for one that looks like it.
  const parts = ['HEAD', 'objects', 'refs'].map((name) => isThere(join(at, name)))
  const isBare = (await Promise.all(parts)).every(Boolean)
  return isBare ? { folder: at, common: at, workTree: undefined } : undefined
}

/** The files that Git keeps. Throws when that cannot be told. */
async function trackedFiles({ folder }: Repository): Promise<readonly TrackedFile[]> {
  try {
    return await readGitIndex(await readFile(join(folder, 'index')))
  } catch (error) {
    // Nothing was ever added.
    if (errorCode(error) === 'ENOENT') return []
    throw error
  }
}

/** The folder that a file `.git` names: of a work tree beside the main one, or of a submodule. */
async function linkedFolder(file: string): Promise<string> {
  const [, path] = /^gitdir: (.+)$/m.exec(await readFile(file, 'utf8')) ?? []
  if (path === undefined) throw new Error(`${file} names no folder.`)
  return resolve(dirname(file), path)
}

async function isThere(path: string): Promise<boolean> {
  return (await kindOf(path)) !== undefined
}

async function kindOf(path: string): Promise<'folder' | 'other' | undefined> {
  try {
    return (await lstat(path)).isDirectory() ? 'folder' : 'other'
  } catch {
    return undefined
  }
}

async function readIfAny(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return ''
    throw error
  }
}
