import type { SandboxView } from './sandbox-view.ts'

/** What `sandbox-exec` is given: a profile, and the paths that it names. */
export interface SeatbeltProfile {
  readonly text: string
  /** By name; a path in the text itself could end it. */
  readonly parameters: Readonly<Record<string, string>>
}

/** What programs of the system need, and what everybody may read. */
const SYSTEM = `(version 1)
(deny default)
(allow process-fork process-exec)
(allow process-info* signal (target same-sandbox))
(allow sysctl-read)
(allow ipc-posix-sem)
(allow mach-lookup
  (global-name "com.apple.system.opendirectoryd.libinfo")
  (global-name "com.apple.system.logger")
  (global-name "com.apple.system.notification_center"))
(allow file-read-metadata)
(allow file-read*
  (literal "/")
  (subpath "/usr") (subpath "/bin") (subpath "/sbin") (subpath "/System")
  (subpath "/Library/Apple") (subpath "/Library/Developer") (subpath "/Library/Frameworks")
  (subpath "/opt/homebrew")
  (subpath "/private/etc/ssl") (literal "/private/etc/passwd") (literal "/private/etc/localtime")
  (subpath "/private/var/db/timezone") (subpath "/private/var/db/dyld") (subpath "/private/var/select")
  (literal "/dev/null") (literal "/dev/zero") (literal "/dev/random") (literal "/dev/urandom")
  (subpath "/dev/fd") (literal "/dev/dtracehelper"))
(allow file-write* (literal "/dev/null") (literal "/dev/zero") (subpath "/dev/fd"))
(allow file-write-data file-ioctl (literal "/dev/dtracehelper"))`

/** Sockets with a name stay closed: behind one may be anybody. The one of the resolver is needed for names. */
const NETWORK = `(allow network*)
(allow system-socket)
(allow mach-lookup
  (global-name "com.apple.SystemConfiguration.configd")
  (global-name "com.apple.trustd.agent"))
(allow file-read* (literal "/private/etc/hosts") (literal "/private/etc/resolv.conf"))
(deny network-outbound (remote unix-socket))
(allow network-outbound (literal "/private/var/run/mDNSResponder"))`

/** Names in a folder of Git that change what it runs. */
const DECIDING_NAMES = ['commondir', 'config.worktree', 'hooks']

/**
 * A profile for `sandbox-exec` that lets a command see a view. Of two rules the later one wins, so what is
 * hidden comes last. A file cannot show another one's text here: the settings of Git stay as they are, and
 * cannot be changed.
 *
 * @param temporary the folder that the command may fill
 */
export function seatbeltProfile(view: SandboxView, temporary: string): SeatbeltProfile {
  const parameters: Record<string, string> = {}
  const name = (path: string): string => {
    const key = `PATH_${Object.keys(parameters).length}`
    parameters[key] = path
    return `(param "${key}")`
  }
  const { roots, readable, pinned, replaced, hasNetwork, agentSocket } = view
  const writable = roots.filter(({ access }) => access === 'write')
  const rules = [
    SYSTEM,
    hasNetwork ? NETWORK : '',
    agentSocket === undefined ? '' : `(allow network-outbound (literal ${name(agentSocket)}))`,
    `(allow file-read* file-write* (subpath ${name(temporary)}))`,
    ...[...roots.map(({ path }) => path), ...readable.map(({ from }) => from)].map(
      (path) => `(allow file-read* (subpath ${name(path)}))`,
    ),
    ...writable.map(({ path }) => `(allow file-write* (subpath ${name(path)}))`),
    // A root that may only be read can lie in one that may be changed.
    ...roots
      .filter(({ access }) => access === 'read')
      .map(({ path }) => `(deny file-write* (subpath ${name(path)}))`),
    ...pinned.flatMap((path) => [
      `(allow file-write* (subpath ${name(path)}))`,
      `(deny file-write* (literal ${name(path)}))`,
      ...(replaced.some((one) => one.path === `${path}/config`)
        ? DECIDING_NAMES.map((inner) => `(deny file-write* (subpath ${name(`${path}/${inner}`)}))`)
        : []),
    ]),
    ...replaced.map(({ path, by }) =>
      typeof by === 'object'
        ? `(deny file-write* (subpath ${name(path)}))`
        : `(deny file-read-data file-write* process-exec (subpath ${name(path)}))`,
    ),
    // Whoever starts such a file is another user or group.
    '(deny file-write-setugid)',
  ]
  return { text: rules.filter((rule) => rule !== '').join('\n'), parameters }
}
