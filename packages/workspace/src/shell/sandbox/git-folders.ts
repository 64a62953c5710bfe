import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isInside } from '../../roots.ts'
import { onDisk, realPathOf, textOfBytes } from './byte-paths.ts'
import { entryAt, isThere, lockedAbove } from './entry-at.ts'
import { cleanGitConfig } from './clean-git-config.ts'
import { namedPlaces } from './git-programs.ts'
import type { RuntimeFiles } from './runtime-files.ts'
import type { Replaced } from './sandbox-view.ts'

/** How the repositories of a workspace are shown to a command that may not change their settings. */
export interface ShownRepositories {
  readonly replaced: readonly Replaced[]
  /** Folders of Git in the workspace. */
  readonly inside: readonly string[]
  /** Those that are elsewhere and belong to a work tree in the workspace. */
  readonly outside: readonly string[]
  /** Those that cannot be changed in part. */
  readonly sealed: readonly string[]
  /** What decides what Git runs, and stays as it is. */
  readonly kept: readonly string[]
  /** The same that is not there, and that no command may bring into being. */
  readonly absent: readonly string[]
  /** Where Git writes down what it goes on with later, and nothing is. */
  readonly unbegun: readonly string[]
}

const SETTINGS = ['config', 'config.worktree']
/** Files beside its settings that Git keeps secrets in, or locks them with. */
const SECRETS = ['credentials']
/** Files of a work tree that say where its settings are: they stay as they are. */
const LINKS = ['commondir', 'gitdir']
/** Names in a folder of Git that change what it runs. */
const DECIDING_NAMES = [...SETTINGS, 'commondir', 'hooks', 'info', 'objects/info/alternates']
/** Names of what Git goes on with later, which may be programs. */
const BEGUN = ['rebase-merge', 'rebase-apply', 'sequencer']
/** Folders of submodules inside of each other. */
const DEEPEST = 6

/**
 * Finds the folders of Git, and what to show in the place of their settings and hooks.
 *
 * @param places paths of what is called `.git`, and folders that are repositories themselves
 * @param roots the folders that are in the view
 */
export async function showRepositories(
  places: readonly string[],
  roots: readonly string[],
  env: Readonly<Record<string, string>>,
  files: RuntimeFiles,
): Promise<ShownRepositories> {
  const found = foldersOf(places, roots)
  const inside = found.filter((folder) => isIn(roots, folder))
  const outside = found.filter((folder) => !isIn(roots, folder))
  const all = withAllSubmodules(found)
  const replaced = await Promise.all(all.map((folder) => shownOf(folder, env, files)))
  const withTrees = all.flatMap((folder) => [folder, ...entriesOf(join(folder, 'worktrees'))])
  const settings = withTrees.flatMap((folder) => SETTINGS.map((name) => join(folder, name)))
  const trees = [...roots, ...places.map((place) => dirname(place))]
  const named = await namedPlaces(settings, trees, roots, env)
  const own = ['info', 'objects/info/alternates', ...BEGUN]
  const kept = withTrees.flatMap((folder) => own.map((name) => join(folder, name)))
  const deciding = withTrees.flatMap((folder) => DECIDING_NAMES.map((name) => join(folder, name)))
  // What a locked folder holds is not known: no command may unlock it and change that.
  const locked = [...settings, ...deciding, ...named.absent]
    .filter((path) => entryAt(path) === 'unknown')
    .map(lockedAbove)
    .filter((folder) => isIn(roots, folder))
  const begun = withTrees.flatMap((folder) => BEGUN.map((name) => join(folder, name)))
  return {
    replaced: replaced.flat(),
    inside,
    outside,
    sealed: all.filter(isLed),
    kept: [...places.filter(isFile), ...kept.filter(isKept), ...named.kept, ...new Set(locked)],
    absent: [...deciding, ...named.absent].filter(isAbsent),
    unbegun: begun.filter(isAbsent),
  }
}

/** What names a repository or is the folder of one, submodules included: each could come into being. */
export function allRepositories(places: readonly string[], roots: readonly string[]): string[] {
  return [...new Set([...places, ...withAllSubmodules(foldersOf(places, roots))])]
}

function foldersOf(places: readonly string[], roots: readonly string[]): string[] {
  return [...new Set(places.flatMap((place) => folderOf(place, roots)))]
}

function withAllSubmodules(folders: readonly string[]): string[] {
  return [...new Set(folders.flatMap((folder) => withSubmodules(folder, 0)))]
}

/** The folder of Git that something called `.git` is, leads to or names. */
function folderOf(place: string, roots: readonly string[]): string[] {
  try {
    const real = realPathOf(place)
    if (statSync(onDisk(real)).isDirectory()) return isIn(roots, real) ? [real] : []
    const [, named] = /^gitdir: (.+)$/m.exec(readText(real)) ?? []
    if (named === undefined) return []
    const folder = realPathOf(resolve(dirname(real), named))
    if (!isIn(roots, folder)) return linkedFolder(real, folder)
    return isRepository(folder) ? [folder] : []
  } catch {
    // It is broken, or leads nowhere: then there is no repository in the view.
    return []
  }
}

function isRepository(folder: string): boolean {
  return ['HEAD', 'objects', 'refs'].every((name) => existsSync(onDisk(join(folder, name))))
}

/** Its settings or hooks are elsewhere: a command must not lead them to another place. */
function isLed(folder: string): boolean {
  return ['config', 'hooks'].some((name) => {
    const found = entryAt(join(folder, name))
    return typeof found === 'object' && found.isSymbolicLink()
  })
}

function isIn(roots: readonly string[], path: string): boolean {
  return roots.some((root) => isInside(root, path))
}

async function shownOf(
  folder: string,
  env: Readonly<Record<string, string>>,
  files: RuntimeFiles,
): Promise<Replaced[]> {
  const shown: Replaced[] = []
  const settings = [folder, ...entriesOf(join(folder, 'worktrees'))].flatMap((one) =>
    SETTINGS.map((name) => join(one, name)),
  )
  for (const file of settings) {
    if (!isFile(file)) continue
    shown.push({ path: file, by: { path: files.fileOf(await cleanGitConfig(file, env)) } })
  }
  for (const tree of entriesOf(join(folder, 'worktrees'))) {
    for (const name of LINKS) {
      const path = join(tree, name)
      if (isFile(path)) shown.push({ path, by: { path } })
    }
  }
  const hooks = join(folder, 'hooks')
  const found = entryAt(hooks)
  if (typeof found === 'object' && found.isDirectory()) shown.push({ path: hooks, by: 'nothing' })
  for (const name of SECRETS) {
    if (isFile(join(folder, name))) shown.push({ path: join(folder, name), by: 'hidden-file' })
  }
  return shown
}

/**
 * The repository of a work tree that is elsewhere, when it names the work tree in turn: whoever wrote the
 * file `.git` must not choose what is shown.
 */
function linkedFolder(file: string, folder: string): string[] {
  if (realPathOf(readText(join(folder, 'gitdir')).trim()) !== file) return []
  const common = realPathOf(resolve(folder, readText(join(folder, 'commondir')).trim()))
  return isRepository(common) && folder.startsWith(`${common}/worktrees/`) ? [common] : []
}

function withSubmodules(folder: string, depth: number): string[] {
  if (depth > DEEPEST) return []
  const found = modulesBelow(join(folder, 'modules'), depth)
  return [folder, ...found]
}

/** A name of a submodule may hold slashes. */
function modulesBelow(folder: string, depth: number): string[] {
  if (depth > DEEPEST) return []
  return entriesOf(folder).flatMap((path) =>
    // What cannot be looked at may be one.
    entryAt(join(path, 'HEAD')) === 'unknown' ||
    (isThere(join(path, 'HEAD')) && isThere(join(path, 'objects')))
      ? withSubmodules(path, depth + 1)
      : modulesBelow(path, depth + 1),
  )
}

function entriesOf(folder: string): string[] {
  try {
    const entries = readdirSync(onDisk(folder), { withFileTypes: true, encoding: 'buffer' })
    return entries
      .filter((one) => one.isDirectory())
      .map(({ name }) => join(folder, textOfBytes(name)))
  } catch {
    return []
  }
}

function readText(path: string): string {
  return textOfBytes(readFileSync(onDisk(path)))
}

/** A link cannot be kept: what it leads to would be. */
function isKept(path: string): boolean {
  const found = entryAt(path)
  return typeof found === 'object' && (found.isFile() || found.isDirectory())
}

function isAbsent(path: string): boolean {
  return entryAt(path) === undefined
}

function isFile(path: string): boolean {
  const found = entryAt(path)
  return typeof found === 'object' && found.isFile()
}
