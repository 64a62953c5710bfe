import { existsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isInside } from '../../roots.ts'
import { onDisk, realPathOf } from './byte-paths.ts'
import { HARMLESS, listSettings } from './clean-git-config.ts'
import { homeFolder } from './home-folder.ts'

/** Places of a workspace that decide what Git runs, since settings name them. */
export interface NamedPlaces {
  /** Those that are there. */
  readonly kept: readonly string[]
  /** Those that could be made. */
  readonly absent: readonly string[]
}

/** A setting, and the file that it is in. */
interface Setting {
  readonly file: string
  readonly key: string
  readonly value: string
}

const INCLUDE = /^include(?:if\..*)?\.path$/i
const HOOKS = /^core\.hookspath$/i
/** Files that name each other. */
const MOST_FILES = 100

/**
 * Finds the folders of hooks, the files of settings and the programs in the workspace that the settings of
 * Git name: whoever changes them chooses what Git runs.
 *
 * @param files settings of the repositories; those of the user and of the machine are read as well
 * @param trees folders that paths in settings may be relative to
 */
export async function namedPlaces(
  files: readonly string[],
  trees: readonly string[],
  roots: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<NamedPlaces> {
  const home = homeFolder()
  const common = [join(home, '.gitconfig'), join(home, '.config/git/config'), '/etc/gitconfig']
  const settings = await settingsOf([...files, ...common], env)
  const named = settings.flatMap((setting) => pathsIn(setting, trees))
  const places = named.filter(({ path, isCertain }) => isCertain || isFile(path))
  const kept = places.flatMap(({ path }) => (existsSync(onDisk(path)) ? [realPathOf(path)] : []))
  const absent = places.flatMap(({ path }) => (existsSync(onDisk(path)) ? [] : [path]))
  return { kept: inRoots(kept, roots), absent: inRoots(absent, roots) }
}

function inRoots(paths: readonly string[], roots: readonly string[]): string[] {
  return [...new Set(paths)].filter((path) => roots.some((root) => isInside(root, path)))
}

/** The settings of these files, and of those that they include, whatever the condition. */
async function settingsOf(
  files: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Setting[]> {
  const queue = [...new Set(files)]
  const settings: Setting[] = []
  // A queue that grows while it is read.
  for (const file of queue) {
    if (!existsSync(onDisk(file))) continue
    for (const { key, value } of await listSettings(file, env)) {
      settings.push({ file, key, value })
      const included = INCLUDE.test(key) ? resolve(dirname(file), atHome(value)) : file
      if (!queue.includes(included) && queue.length < MOST_FILES + files.length) {
        queue.push(included)
      }
    }
  }
  return settings
}

/** What a setting names. Without certainty it may be a word like any other. */
function pathsIn(
  { file, key, value }: Setting,
  trees: readonly string[],
): { path: string; isCertain: boolean }[] {
  if (INCLUDE.test(key)) return [{ path: resolve(dirname(file), atHome(value)), isCertain: true }]
  if (HOOKS.test(key)) {
    return trees
      .map((tree) => resolve(tree, atHome(value)))
      .flatMap((path) => (path.endsWith('/_') ? [dirname(path)] : [path]))
      .map((path) => ({ path, isCertain: true }))
  }
  if (HARMLESS.test(key)) return []
  const words = value.split(/[\s"';&|()!=<>]+/).filter((word) => word !== '')
  return trees.flatMap((tree) =>
    words.map((word) => ({ path: resolve(tree, atHome(word)), isCertain: false })),
  )
}

function atHome(path: string): string {
  return path.startsWith('~/') ? join(homeFolder(), path.slice(2)) : path
}

function isFile(path: string): boolean {
  try {
    return statSync(onDisk(path)).isFile()
  } catch {
    return false
  }
}
