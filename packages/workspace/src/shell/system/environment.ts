import { delimiter, isAbsolute, join, relative, sep } from 'node:path'
import { entryAt } from '../sandbox/entry-at.ts'

/** Variables of this process that a command gets; no other. */
const PASSED =
  /^(?:HOME|USER|LOGNAME|USERNAME|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR|TEMP|TMP|SYSTEMROOT|COMSPEC|PATHEXT|WINDIR|APPDATA|LOCALAPPDATA|USERPROFILE)$/

/** Nothing waits for a person, shows pages or colours, or runs what a repository says. */
const FIXED: Readonly<Record<string, string>> = {
  TERM: 'dumb',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_EDITOR: 'false',
  EDITOR: 'false',
  VISUAL: 'false',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: 'false',
  SSH_ASKPASS: 'false',
  GIT_OPTIONAL_LOCKS: '0',
  NO_COLOR: '1',
}

/** Settings of Git that win over those of a repository. */
const GIT_SETTINGS: Readonly<Record<string, string>> = {
  'core.fsmonitor': 'false',
  'safe.bareRepository': 'explicit',
  // Those have settings of their own, which these here do not reach.
  'diff.ignoreSubmodules': 'all',
}

/** Where a command finds itself. */
export interface CommandPlace {
  /** Its home folder, when that is not the one of this process. */
  readonly home?: string | undefined
  /** The number of the user, and the folder that its repository is in. */
  readonly uid?: number | undefined
  readonly workspace?: string | undefined
}

/**
 * The environment of a command: a few variables of this process, by an allowlist, and what keeps
 * programs from asking. No folder of the workspace is on its path: a file in it cannot pass for a
 * program.
 *
 * @param own the environment of this process
 * @param folders real paths of the workspace
 * @param more variables that the app adds; they win
 */
export function commandEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  folders: readonly string[],
  more: Readonly<Record<string, string>> = {},
  { home, uid, workspace }: CommandPlace = {},
): Record<string, string> {
  const passed = Object.entries(own).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && PASSED.test(entry[0]),
  )
  const path = own['PATH'] ?? own['Path'] ?? ''
  return {
    ...Object.fromEntries(passed),
    PATH: safePath(path, folders) || ['/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
    ...FIXED,
    ...gitSettings({
      ...GIT_SETTINGS,
      // Git refuses what belongs to another user; only the workspace is in the view.
      ...(home !== undefined && workspace !== undefined && isOfOther(workspace, uid)
        ? { 'safe.directory': workspace }
        : {}),
    }),
    ...(home === undefined ? {} : { HOME: home, TMPDIR: '/tmp', TMP: '/tmp', TEMP: '/tmp' }),
    ...more,
  }
}

function gitSettings(settings: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(settings)
  return Object.fromEntries([
    ['GIT_CONFIG_COUNT', String(entries.length)],
    ...entries.flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ])
}

function isOfOther(folder: string, uid: number | undefined): boolean {
  const found = entryAt(folder)
  return uid !== undefined && typeof found === 'object' && found.uid !== uid
}

/** The folders of a path that are absolute and outside of the workspace. */
function safePath(path: string, folders: readonly string[]): string {
  return path
    .split(delimiter)
    .filter((entry) => isAbsolute(entry) && !folders.some((folder) => isBelow(folder, join(entry))))
    .join(delimiter)
}

function isBelow(folder: string, path: string): boolean {
  const inner = relative(folder, path)
  return inner === '' || (!isAbsolute(inner) && inner !== '..' && !inner.startsWith(`..${sep}`))
}
