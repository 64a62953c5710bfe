import { dirname, join } from 'node:path'
import { isInside } from '../../roots.ts'
import { boundMasks } from './bound-masks.ts'
import { credentialsOf, type Credentials } from './credentials.ts'
import { isThere } from './entry-at.ts'
import { createHiddenSearch, TooManyEntriesError } from './find-hidden.ts'
import { allRepositories, showRepositories } from './git-folders.ts'
import { showPrograms } from './program-folders.ts'
import { runtimeFiles } from './runtime-files.ts'
import type { Right } from '../rights.ts'
import { SandboxError } from './sandbox.ts'
import {
  LARGE_LIMITS,
  SMALL_LIMITS,
  type Replaced,
  type SandboxView,
  type ViewedFolder,
} from './sandbox-view.ts'
import { tellingFolders } from './telling-folders.ts'
import { toolFolders } from './tool-folders.ts'
import { isAnythingLeft, putAsideLeft, watchRun } from './unfinished-runs.ts'

/** What views are made of. */
export interface ViewsOptions {
  readonly roots: readonly [ViewedFolder, ...ViewedFolder[]]
  /** By the path from its root on. */
  readonly isSensitive: (path: string) => boolean
  /** More folders that commands may read: programs, their data. */
  readonly programFolders: readonly string[]
  /** The home folder of this user, and that of commands. */
  readonly home: string
  readonly sandboxHome: string
  readonly agentSocket?: string | undefined
}

/** What is known of the workspace before a command is asked about, or runs. */
export interface Survey {
  readonly hidden: readonly Replaced[]
  readonly doors: readonly Replaced[]
  /** What names a repository of Git, or is one; none where that cannot be told. */
  readonly repositories: readonly string[] | undefined
  /** Why what may hold secrets cannot be hidden here. */
  readonly failure?: string
}

/** A command that a view is made for. */
export interface ViewedCommand {
  /** What its words would be as paths. */
  readonly names: readonly string[]
  readonly rights: ReadonlySet<Right>
  readonly env: Readonly<Record<string, string>>
  /** Milliseconds that it may run. */
  readonly mostMs: number
}

const TOO_MANY = 'More files than can be hidden may hold secrets.'

/** Finds out what commands see. */
export function createViews(options: ViewsOptions) {
  const { roots, isSensitive, programFolders, home, sandboxHome, agentSocket } = options
  const paths = roots.map(({ path }) => path)
  const searches = paths.map((path) => createHiddenSearch(path, isSensitive))

  let last: Survey | undefined
  const [{ path: workspace }] = roots
  /** What killed processes had left, until it is told. */
  const left: string[] = []
  try {
    // A person may use Git before the first command runs.
    left.push(...putAsideLeft(workspace))
    // What fails here fails with the first look as well, which says why.
    if (isAnythingLeft(workspace)) survey().catch(() => {})
  } catch {
    // The same.
  }

  /** Looks through the workspace: what has changed since the last time. */
  async function survey(): Promise<Survey> {
    last = await look()
    const aside = putAsideLeft(workspace, repositoriesIn(last))
    left.push(...aside)
    if (aside.length > 0) last = await look()
    return last
  }

  function repositoriesIn({ repositories }: Survey): string[] | undefined {
    return repositories && allRepositories(repositories, paths)
  }

  /** What was seen last: enough to say whether anything can be hidden at all. */
  async function lastSurvey(): Promise<Survey> {
    return last ?? survey()
  }

  async function look(): Promise<Survey> {
    try {
      const found = await Promise.all(searches.map((search) => search()))
      const hidden = found.flatMap(({ secrets }) => secrets)
      const doors = found.flatMap((one) => one.doors)
      const repositories = [...new Set(found.flatMap((one) => one.repositories))]
      const isBounded = boundMasks([...hidden, ...doors], paths) !== undefined
      return { hidden, doors, repositories, ...(isBounded ? {} : { failure: TOO_MANY }) }
    } catch (error) {
      if (!(error instanceof TooManyEntriesError)) throw error
      return { hidden: [], doors: [], repositories: undefined, failure: error.message }
    }
  }

  /** The credentials that a command with that right gets. */
  function credentials(names: readonly string[], { hidden, failure }: Survey): Credentials {
    const named = credentialsOf(names, hidden, { cwd: roots[0].path, home, agentSocket })
    // Where not all can be hidden, nothing is.
    return failure === undefined
      ? named
      : { ...named, inWorkspace: hidden, stillHidden: [], isAll: true }
  }

  /** The view of a command, and what puts aside afterwards what decides what Git runs. */
  async function view(
    { names, rights, env, mostMs }: ViewedCommand,
    found: Survey,
  ): Promise<{ view: SandboxView; afterwards: () => Promise<string> }> {
    const mayWrite = rights.has('write')
    const mayConfigure = rights.has('git-settings')
    const shown = rights.has('credentials') ? credentials(names, found) : undefined
    const open = new Set(shown?.inWorkspace.map(({ path }) => path))
    const hidden = found.hidden.filter(({ path }) => !open.has(path))
    const masks = boundMasks([...hidden, ...found.doors], paths)
    if (!masks) throw new SandboxError(found.failure ?? TOO_MANY)
    const isWatched = mayWrite && !mayConfigure
    const repositories = repositoriesIn(found)
    if (isWatched && !repositories) throw new SandboxError(found.failure ?? TOO_MANY)
    const git = await showRepositories(found.repositories ?? [], paths, env, runtimeFiles())
    const programs = await showPrograms([
      ...toolFolders(env['PATH'] ?? '', paths),
      ...programFolders,
    ])
    const isApproved = rights.size > 0
    const kept = isWatched ? git.kept : []
    const folders = [...git.inside, ...git.outside]
    // Whoever could move a folder away could put another one in its place.
    const above = isWatched ? foldersAbove([...git.inside, ...kept], paths) : []
    const secrets = hidden.map(({ path }) => path)
    const telling = mayWrite ? tellingFolders(secrets, paths, isSensitive) : []
    const { absent, unbegun } = git
    const within = [...paths, ...git.outside]
    const putAside =
      isWatched && repositories
        ? watchRun(workspace, { absent, unbegun, repositories, within }, mostMs)
        : undefined
    return {
      view: {
        roots: mayWrite ? roots : [readOnly(roots[0]), ...roots.slice(1).map(readOnly)],
        readable: [
          ...[...programs.folders, ...git.outside].map((path) => ({ from: path, to: path })),
          ...(shown?.inHome ?? []).map((name) => ({
            from: join(home, name),
            to: join(sandboxHome, name),
          })),
        ],
        pinned:
          mayWrite || mayConfigure
            ? [...new Set([...above, ...folders, ...telling])]
                .filter((path) => isWritable(path))
                .toSorted(outerFirst)
            : [],
        replaced: [
          ...kept.toSorted(outerFirst).map(asItIs),
          ...(mayConfigure ? [] : [...git.sealed.map(asItIs), ...git.replaced]),
          ...masks,
          ...programs.masks,
        ],
        hasNetwork: rights.has('network'),
        agentSocket:
          shown?.agentSocket !== undefined && isThere(shown.agentSocket)
            ? shown.agentSocket
            : undefined,
        limits: isApproved ? LARGE_LIMITS : SMALL_LIMITS,
      },
      afterwards: async () => {
        if (!putAside) return takenAway(left.splice(0))
        const now = await look().then(repositoriesIn, () => undefined)
        const aside = putAside(now)
        return takenAway([...left.splice(0), ...aside], now === undefined)
      },
    }
  }

  /** In a root that may be written, or beside the workspace as the repository of a work tree. */
  function isWritable(path: string): boolean {
    const inside = roots.filter((root) => isInside(root.path, path))
    const [inner] = inside.toSorted((a, b) => b.path.length - a.path.length)
    return inner?.access !== 'read'
  }

  return { survey, lastSurvey, credentials, view }
}

/** Shows a place as it is, and lets nothing there be changed. */
function asItIs(path: string): Replaced {
  return { path, by: { path } }
}

function readOnly({ path }: ViewedFolder): ViewedFolder {
  return { path, access: 'read' }
}

function outerFirst(a: string, b: string): number {
  return a.length - b.length
}

/** The folders between these paths and their roots, without those that hold another root. */
function foldersAbove(paths: readonly string[], roots: readonly string[]): string[] {
  const above = paths.flatMap((path) => {
    const folders: string[] = []
    for (
      let at = dirname(path);
      roots.some((root) => at.startsWith(`${root}/`));
      at = dirname(at)
    ) {
      folders.push(at)
    }
    return folders
  })
  return [...new Set(above)].filter((path) => !roots.some((root) => isInside(path, root)))
}

/** What the model is told of what was put aside. */
function takenAway(aside: readonly string[], isUnknown = false): string {
  const what = `Taken away, since it decides what Git runs: ${aside.join(', ')}. To keep such things a command needs the right git-settings.`
  const notAll =
    'It has left more than could be looked through: new folders may be repositories whose settings run programs.'
  return [aside.length > 0 ? what : '', isUnknown ? notAll : ''].filter(Boolean).join(' ')
}
