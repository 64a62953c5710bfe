import { lstatSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isInside } from '../../roots.ts'
import type { Replaced } from './sandbox-view.ts'

/** What programs keep in a home folder to prove who they act for. */
const OF_PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  git: ['.gitconfig', '.git-credentials', '.config/git', '.netrc', '.ssh'],
  ssh: ['.ssh'],
  scp: ['.ssh'],
  sftp: ['.ssh'],
  rsync: ['.ssh'],
  npm: ['.npmrc'],
  npx: ['.npmrc'],
  pnpm: ['.npmrc'],
  yarn: ['.npmrc', '.yarnrc.yml'],
  gh: ['.config/gh'],
  docker: ['.docker/config.json'],
  podman: ['.docker/config.json'],
  aws: ['.aws'],
  gcloud: ['.config/gcloud'],
  az: ['.azure'],
  kubectl: ['.kube'],
  helm: ['.kube'],
  pip: ['.config/pip', '.netrc'],
  twine: ['.pypirc'],
  cargo: ['.cargo/credentials.toml'],
  curl: ['.netrc'],
  psql: ['.pgpass'],
  terraform: ['.terraformrc', '.terraform.d'],
}

/** The credentials that a command with that right sees. */
export interface Credentials {
  /** What is hidden else, in the workspace. */
  readonly inWorkspace: readonly Replaced[]
  /** What stays hidden: the command does not name it. */
  readonly stillHidden: readonly Replaced[]
  /** Whether nothing can be hidden here. */
  readonly isAll: boolean
  /** From the home folder on. */
  readonly inHome: readonly string[]
  /** The socket of the agent that holds keys of SSH. */
  readonly agentSocket?: string | undefined
}

/** Where the names in a command lead to. */
export interface NamingPlace {
  /** The folder in which the command starts. */
  readonly cwd: string
  readonly home: string
  readonly agentSocket?: string | undefined
}

/**
 * The credentials that the words of a command name: files of the workspace by their paths, and what the
 * programs among them keep in the home folder. What is not named, or not there, stays hidden.
 */
export function credentialsOf(
  names: readonly string[],
  hidden: readonly Replaced[],
  { cwd, home, agentSocket }: NamingPlace,
): Credentials {
  const meant = names.flatMap((name) => placesOf(name.startsWith('/') ? name : `${cwd}/${name}`))
  const isNamed = ({ path, by }: Replaced) =>
    meant.some((one) => one === path || (by === 'hidden-folder' && isInside(path, one)))
  const programs = new Set(names.map((name) => basename(name)))
  const inHome = Object.entries(OF_PROGRAMS)
    .filter(([program]) => programs.has(program))
    .flatMap(([, paths]) => paths)
    .filter((path) => isThere(join(home, path)))
  const usesSsh = ['git', 'ssh', 'scp', 'sftp', 'rsync'].some((program) => programs.has(program))
  return {
    inWorkspace: hidden.filter(isNamed),
    stillHidden: hidden.filter((one) => !isNamed(one)),
    isAll: false,
    inHome: [...new Set(inHome)],
    agentSocket: usesSsh ? agentSocket : undefined,
  }
}

/** What a path stands for on the disk: the file or link of that name, and what it leads to. */
function placesOf(path: string): string[] {
  try {
    const { native } = realpathSync
    return [join(native(dirname(path)), basename(path)), native(path)]
  } catch {
    // Nothing is there.
    return []
  }
}

/** What cannot be looked at is nothing that a program could be given. */
function isThere(path: string): boolean {
  try {
    lstatSync(path)
    return true
  } catch {
    return false
  }
}
