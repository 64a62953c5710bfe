import { readlinkSync } from 'node:fs'
import { bytesOf } from './byte-paths.ts'
import { entryAt } from './entry-at.ts'
import type { RuntimeFiles } from './runtime-files.ts'
import type { Replaced, SandboxLimits, SandboxView } from './sandbox-view.ts'

/** Where a command finds its home folder: in memory, empty. */
export const SANDBOX_HOME = '/home/user'

/** Who root is inside. */
const PLAIN = 1_000

/** Folders of programs beside `/usr`; links into it on most systems. */
const SYSTEM_FOLDERS = ['/bin', '/sbin', '/lib', '/lib64', '/lib32', '/libx32']
/** What programs look up of the system, and everybody may read. */
const ETC = [
  'group',
  'nsswitch.conf',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'localtime',
  'timezone',
  'alternatives',
  'ssl/certs',
  'ssl/openssl.cnf',
  'ca-certificates',
  'pki/tls/certs',
  'pki/ca-trust',
  'services',
  'protocols',
]
/** The same for names of other machines. */
const NETWORK_ETC = ['resolv.conf', 'hosts', 'host.conf', 'gai.conf']

/** Numbers of the files that bwrap is handed: a pipe for its reports, the filter, what is made below. */
const HANDED = { status: 3, filter: 4, args: 5 }

/** With these bwrap is started; behind them stands the command. */
export const BUBBLEWRAP_START: readonly string[] = ['--args', String(HANDED.args), '--']

/**
 * The arguments of `bwrap` for a view, for a file that it is handed: so they hold names that are not UTF-8, and
 * other users of the machine cannot read them. Later mounts cover earlier ones, so what is replaced comes after
 * the folders that it is in.
 */
export function bubblewrapArguments(view: SandboxView, files: RuntimeFiles): Buffer {
  const { roots, readable, pinned, replaced, limits, hasNetwork, agentSocket } = view
  const [{ path: cwd }] = roots
  const byDepth = roots.toSorted((a, b) => a.path.length - b.path.length)
  const args = [
    // `--unshare-all` would only try some of them.
    ...flags('--unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try'),
    ...(hasNetwork ? [] : ['--unshare-net']),
    ...flags('--disable-userns --new-session --die-with-parent --cap-drop ALL --hostname sandbox'),
    // Without it root stays root inside.
    ...(process.getuid?.() === 0 ? flags(`--uid ${PLAIN} --gid ${PLAIN}`) : []),
    ...systemFolders(),
    ...[...ETC, ...(hasNetwork ? NETWORK_ETC : [])].flatMap((name) =>
      flags(`--ro-bind-try /etc/${name} /etc/${name}`),
    ),
    '--ro-bind',
    files.fileOf(passwd()),
    '/etc/passwd',
    ...flags('--proc /proc --dev /dev --size 8000000 --tmpfs /dev/shm --remount-ro /dev'),
    ...flags(`--size ${limits.temporaryBytes} --tmpfs /tmp`),
    ...flags(`--size ${limits.homeBytes} --tmpfs ${SANDBOX_HOME}`),
    ...readable.flatMap(({ from, to }) => ['--ro-bind', from, to]),
    ...(agentSocket === undefined ? [] : ['--bind', agentSocket, agentSocket]),
    ...byDepth.flatMap(({ path, access }) => [
      access === 'write' ? '--bind' : '--ro-bind',
      path,
      path,
    ]),
    ...pinned.flatMap((path) => ['--bind', path, path]),
    ...replaced.flatMap((one) => ['--ro-bind', sourceOf(one, files), one.path]),
    '--chdir',
    cwd,
    // What holds all of this is in memory too.
    ...flags(`--remount-ro / --seccomp ${HANDED.filter} --json-status-fd ${HANDED.status}`),
  ]
  return bytesOf(args.map((text) => `${text}\0`).join(''))
}

/** Arguments without a blank in them. */
function flags(text: string): string[] {
  return text.split(' ')
}

/** A process is told when its time is up, and then ended. */
export function cpuLimit(seconds: number): string {
  return `ulimit -St ${seconds}; ulimit -Ht ${seconds + 1}`
}

/** The words that set the limits and then become the command: inside, so that only it is counted. */
export function limitedCommand(
  limits: SandboxLimits,
  shellPath: string,
  argv: readonly string[],
): string[] {
  const { processes, cpuSeconds, dataBytes, fileBytes } = limits
  const kilo = (bytes: number) => Math.ceil(bytes / 1_024)
  // One that cannot be set is lower already.
  const set = [
    `ulimit -u ${processes}`,
    'ulimit -c 0',
    cpuLimit(cpuSeconds),
    `ulimit -d ${kilo(dataBytes)}`,
    `ulimit -f ${kilo(fileBytes)}`,
  ].join('; ')
  const script = `{ ${set}; } 2>/dev/null; exec -- "$@"`
  return [shellPath, '--noprofile', '--norc', '-c', script, 'bash', ...argv]
}

/**
 * The users that a command knows of: programs such as `ssh` take the home folder from there. In a
 * container the user of this process may have no name.
 */
function passwd(): string {
  const isPlain = process.getuid?.() !== 0
  const uid = isPlain ? process.getuid?.() : PLAIN
  const gid = isPlain ? process.getgid?.() : PLAIN
  const user = `user:x:${uid}:${gid}::${SANDBOX_HOME}:/bin/bash`
  return `root:x:0:0::/:/bin/false\n${user}\nnobody:x:65534:65534::/:/bin/false\n`
}

function systemFolders(): string[] {
  const places = SYSTEM_FOLDERS.flatMap((path) => {
    const found = entryAt(path)
    if (typeof found !== 'object') return []
    return found.isSymbolicLink()
      ? ['--symlink', readlinkSync(path), path]
      : ['--ro-bind', path, path]
  })
  return [...flags('--ro-bind /usr /usr --ro-bind-try /nix/store /nix/store'), ...places]
}

function sourceOf({ by }: Replaced, files: RuntimeFiles): string {
  if (by === 'hidden-file') return files.hiddenFile
  if (by === 'hidden-folder') return files.hiddenFolder
  return by === 'nothing' ? files.emptyFolder : by.path
}
