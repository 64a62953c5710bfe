import { spawnSync } from 'node:child_process'
import { closeSync, readdirSync } from 'node:fs'
import { BUBBLEWRAP_START, bubblewrapArguments, limitedCommand } from './bubblewrap-arguments.ts'
import type { BubblewrapPrograms } from './run-bubblewrap.ts'
import { runtimeFiles } from './runtime-files.ts'
import type { NoSandbox } from './sandbox.ts'
import { SMALL_LIMITS } from './sandbox-view.ts'
import { seccompFilter } from './seccomp-filter.ts'

const PROBE_MS = 10_000
const WRITTEN = 'the workspace was written'
const SCRIPT = `cat /proc/self/status /proc/net/dev; { : > ./written; } 2>/dev/null && echo '${WRITTEN}'; true`

const APPARMOR = `Ubuntu lets no program make namespaces that has no profile. As root, write this to /etc/apparmor.d/bwrap and run \`systemctl reload apparmor\`:
abi <abi/4.0>,
include <tunables/global>
profile bwrap /usr/bin/bwrap flags=(unconfined) {
  userns,
}`
const CONTAINER =
  'In a container, the profile of seccomp must allow namespaces: for Docker run it with `--security-opt seccomp=unconfined --security-opt systempaths=unconfined`, or take a machine of its own.'

/** What went wrong, by what bwrap says of it. */
const MENDS: readonly (readonly [RegExp, string])[] = [
  [/setting up uid map: Permission denied|RTM_NEWADDR/i, APPARMOR],
  [/No space left|max_user_namespaces/i, 'Set user.max_user_namespaces above 0, as root.'],
  [/Unknown option/i, 'It needs bubblewrap 0.8.0 or later.'],
]

/**
 * Tries the sandbox once with the very flags that commands get, and proves from inside that it holds:
 * no capabilities, no new ones, a filter, no network, a workspace that cannot be written.
 *
 * @returns why it does not work, if so
 */
export function probeBubblewrap({ bubblewrap, shell }: BubblewrapPrograms): NoSandbox | undefined {
  const filter = seccompFilter(process.arch)
  if (!filter) {
    return {
      reason: `There is no filter of system calls for ${process.arch} processors.`,
      mend: 'Run it on an x64 or arm64 machine.',
    }
  }
  const files = runtimeFiles()
  const args = bubblewrapArguments(
    {
      roots: [{ path: files.trialFolder, access: 'read' }],
      readable: [],
      pinned: [],
      replaced: [],
      hasNetwork: false,
      limits: SMALL_LIMITS,
    },
    files,
  )
  const handed = [files.openOnce(filter), files.openOnce(args)]
  try {
    const argv = limitedCommand(SMALL_LIMITS, shell, [shell, '--noprofile', '--norc', '-c', SCRIPT])
    const { stdout, stderr, error, output } = spawnSync(
      bubblewrap,
      [...BUBBLEWRAP_START, ...argv],
      {
        cwd: '/',
        env: { PATH: '/usr/bin:/bin' },
        stdio: ['ignore', 'pipe', 'pipe', 'pipe', ...handed],
        encoding: 'utf8',
        timeout: PROBE_MS,
        killSignal: 'SIGKILL',
      },
    )
    if (!/"exit-code"\s*:\s*0\b/.test(output[3] ?? '')) {
      const said = (stderr || error?.message || 'it did not say why').trim()
      return {
        reason: `bubblewrap does not work here: ${said.slice(0, 300)}.`,
        mend: mendOf(said),
      }
    }
    const hole = holeIn(stdout, readdirSync(files.trialFolder))
    if (hole === undefined) return undefined
    return {
      reason: `bubblewrap runs here, but its sandbox does not hold: ${hole}.`,
      mend: 'Use another kernel or machine, and report this.',
    }
  } finally {
    for (const file of handed) closeSync(file)
  }
}

/** What to do about what bwrap says of its failure. */
export function mendOf(said: string): string {
  return MENDS.find(([pattern]) => pattern.test(said))?.[1] ?? CONTAINER
}

/** What a command has found that should not be so. */
export function holeIn(inside: string, written: readonly string[]): string | undefined {
  const valueOf = (name: string) => new RegExp(`^${name}:\\s*(\\S+)`, 'm').exec(inside)?.[1]
  if (valueOf('NoNewPrivs') !== '1') return 'a command could get new privileges'
  if (!/^0+$/.test(valueOf('CapEff') ?? '')) return 'a command has capabilities'
  if (valueOf('Seccomp') !== '2') return 'no filter of system calls is in force'
  const network = inside.slice(inside.indexOf('Inter-'))
  const devices = [...network.matchAll(/^\s*([^\s:|]+):/gm)].map(([, name]) => name)
  if (devices.length !== 1 || devices[0] !== 'lo') return 'a command reaches the network'
  if (inside.includes(WRITTEN) || written.length > 0) return 'a command can write the workspace'
  return undefined
}
