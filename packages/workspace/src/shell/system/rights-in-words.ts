import type { Credentials } from '../sandbox/credentials.ts'
import type { Right } from '../rights.ts'

/** Names of credentials in a sentence. */
const MOST_NAMES = 5

/** What a command with some rights may do, as a list for a person: “change files and use the network”. */
export function rightsInWords(
  rights: ReadonlySet<Right>,
  credentials?: Credentials,
  show: (path: string) => string = (path) => path,
): string {
  const words = [
    rights.has('write') ? 'change files of the workspace' : '',
    rights.has('network') ? 'use the network, also services of this machine' : '',
    rights.has('git-settings') ? 'change the settings and hooks of Git' : '',
    rights.has('credentials') ? credentialsInWords(credentials, show) : '',
  ].filter((word) => word !== '')
  const last = words.pop()
  return words.length === 0 ? (last ?? '') : `${words.join(', ')} and ${last}`
}

function credentialsInWords(
  credentials: Credentials | undefined,
  show: (path: string) => string,
): string {
  if (!credentials) return 'read files that may hold secrets'
  const { inWorkspace, isAll, inHome, agentSocket } = credentials
  const names = [
    ...inWorkspace.map(({ path }) => show(path)),
    ...inHome.map((name) => `~/${name}`),
    ...(agentSocket === undefined ? [] : ['the keys of the SSH agent']),
  ]
  // The yes is for each of them.
  if (!isAll) return names.length === 0 ? '' : `read secrets: ${names.join(', ')}`
  const examples = names.length === 0 ? '' : ` (${firstOf(names)})`
  return `read every file of the workspace that may hold secrets${examples}`
}

/** What a command that asks for secrets does not get, for a person; nothing where it gets all. */
export function hiddenInWords(
  { stillHidden }: Credentials,
  show: (path: string) => string,
): string {
  if (stillHidden.length === 0) return ''
  const names = firstOf(stillHidden.map(({ path }) => show(path)))
  return `Still hidden, since no word of it is their path: ${names}.`
}

function firstOf(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMES).join(', ')
  return names.length > MOST_NAMES ? `${shown} and ${names.length - MOST_NAMES} more` : shown
}

/** What a right permits, in the words that a model gets when it lacks it. */
export const LACKED: Readonly<Record<Right, string>> = {
  write: 'the workspace can only be read',
  network: 'there is no network',
  'git-settings': 'the settings and hooks of Git can only be read',
  credentials: 'files that may hold secrets are hidden',
}
