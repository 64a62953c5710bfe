import { execFile } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { promisify } from 'node:util'
import { isUtf8Name, onDisk } from './byte-paths.ts'

/** Settings that say what a repository is, and none by which Git runs a program or reads another file. */
export const HARMLESS =
  /^(?:core\.(?:repositoryformatversion|filemode|bare|ignorecase|precomposeunicode|symlinks|logallrefupdates|autocrlf|eol|worktree|sparsecheckout|sparsecheckoutcone|quotepath|abbrev)|extensions\.(?!partialclone$)\w+|remote\..+\.(?:url|pushurl|fetch|push|tagopt)|branch\..+\.(?:remote|merge|rebase)|submodule\..+\.(?:url|active)|user\.(?:name|email)|init\.defaultbranch)$/i
const URL_KEY = /\.(?:push)?url$/i
/** For a repository whose settings cannot be read. */
const NO_SETTINGS = '[core]\n\trepositoryformatversion = 0\n'

const run = promisify(execFile)
const kept = new Map<string, { readonly changed: bigint; readonly listed: readonly Setting[] }>()

/** One setting as Git lists it. */
interface Setting {
  readonly key: string
  readonly value: string
}

/**
 * The settings of a repository without those that make Git run programs, read other files or show
 * passwords.
 *
 * @param env with the path on which Git is
 */
export async function cleanGitConfig(
  file: string,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const settings = await listSettings(file, env)
  return settings.length === 0 ? NO_SETTINGS : cleanText(settings)
}

/** The settings in a file, without those that it includes; none where they cannot be read. */
export async function listSettings(
  file: string,
  env: Readonly<Record<string, string>>,
): Promise<readonly Setting[]> {
  const changed = statSync(onDisk(file), { bigint: true }).ctimeNs
  const before = kept.get(file)
  if (before?.changed === changed) return before.listed
  try {
    const listed = settingsIn(await listByGit(file, env))
    kept.set(file, { changed, listed })
    return listed
  } catch {
    // Without Git nobody reads them; what cannot be read is left out.
    return []
  }
}

async function listByGit(file: string, env: Readonly<Record<string, string>>): Promise<string> {
  // An argument can only be a name that is UTF-8. A pipe would be waited for.
  const isNamed = isUtf8Name(file) || !statSync(onDisk(file)).isFile()
  const args = ['config', '--file', isNamed ? file : '-', '--no-includes', '--list', '-z']
  const listing = run('git', args, { cwd: '/', env: { ...env }, timeout: 5_000 })
  const { stdin } = listing.child
  // Git that ends at once reads nothing.
  stdin?.on('error', () => {})
  stdin?.end(isNamed ? '' : readFileSync(onDisk(file)))
  return (await listing).stdout
}

/** The harmless ones of what `git config --list -z` says. */
export function cleanSettings(listed: string): string {
  return cleanText(settingsIn(listed))
}

function settingsIn(listed: string): Setting[] {
  return listed
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => {
      const end = entry.indexOf('\n')
      const key = end === -1 ? entry : entry.slice(0, end)
      return { key, value: end === -1 ? 'true' : entry.slice(end + 1) }
    })
}

function cleanText(settings: readonly Setting[]): string {
  return settings
    .filter(({ key }) => HARMLESS.test(key))
    .map(({ key, value }) => setting(key, URL_KEY.test(key) ? withoutPassword(value) : value))
    .join('')
}

function setting(key: string, value: string): string {
  const first = key.indexOf('.')
  const last = key.lastIndexOf('.')
  const inner = key.slice(first + 1, last)
  const section = first === last ? '' : ` "${inner.replaceAll(/["\\]/g, String.raw`\$&`)}"`
  const quoted = value
    .replaceAll(/["\\]/g, String.raw`\$&`)
    .replaceAll('\n', String.raw`\n`)
    .replaceAll('\t', String.raw`\t`)
  return `[${key.slice(0, first)}${section}]\n\t${key.slice(last + 1)} = "${quoted}"\n`
}

/** An address without what proves who asks: a user of SSH is needed, nothing else is. */
function withoutPassword(url: string): string {
  const [, scheme = '', user = '', rest = ''] =
    /^([a-z][\w+.-]*:\/\/)([^/@]*)@(.*)$/is.exec(url) ?? []
  if (scheme === '') return url
  const name = user.split(':')[0] ?? ''
  return /^https?:/i.test(scheme) || name === '' ? `${scheme}${rest}` : `${scheme}${name}@${rest}`
}
