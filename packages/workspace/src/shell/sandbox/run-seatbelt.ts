import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import type { RunResult } from '../shell.ts'
import { runProcess, signalProcess } from '../system/run-process.ts'
import { cpuLimit } from './bubblewrap-arguments.ts'
import { runtimeFiles } from './runtime-files.ts'
import type { NoSandbox, SandboxedCommand } from './sandbox.ts'
import { SMALL_LIMITS, type SandboxLimits, type SandboxView } from './sandbox-view.ts'
import { seatbeltProfile } from './seatbelt-profile.ts'

const SANDBOX_EXEC = '/usr/bin/sandbox-exec'
/** Stands for the home folder until the command has one. */
export const SEATBELT_HOME = '/private/tmp/assent-home'

const PROBE_MS = 10_000
const SEEN = 'assent-sees-this'
const PROBE = `cat seen; { : > ./written; } 2>/dev/null && echo WRITTEN
ls /Users >/dev/null 2>&1 && echo HOMES
(exec 3<>/dev/tcp/127.0.0.1/9) 2>&1 | grep -q 'not permitted' || echo NETWORK`

/** Runs one command by `sandbox-exec` of macOS, with a home and a temporary folder of its own. */
export async function runSeatbelt(
  shell: string,
  { argv, env, view, ...watch }: SandboxedCommand,
): Promise<RunResult> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'assent-home-')))
  try {
    for (const { from, to } of view.readable) {
      if (!to.startsWith(`${SEATBELT_HOME}/`)) continue
      const place = join(home, relative(SEATBELT_HOME, to))
      mkdirSync(dirname(place), { recursive: true })
      symlinkSync(from, place)
    }
    const own = { HOME: home, TMPDIR: home, TMP: home, TEMP: home }
    return await runProcess({
      ...watch,
      file: SANDBOX_EXEC,
      args: [...argumentsFor(view, home), ...limited(view.limits, shell, argv)],
      cwd: view.roots[0].path,
      env: { ...env, ...own },
      // There is no namespace that ends with the command: what leaves its group outlives it.
      end: (child, how) => {
        const name = how === 'politely' ? 'SIGTERM' : 'SIGKILL'
        if (child.pid !== undefined) signalProcess(-child.pid, name)
      },
    })
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

/** Tries it once: that it runs a command, and that this one writes nothing, sees no homes, reaches nobody. */
export function probeSeatbelt(shell: string): NoSandbox | undefined {
  const { trialFolder } = runtimeFiles()
  writeFileSync(join(trialFolder, 'seen'), SEEN)
  const view: SandboxView = {
    roots: [{ path: trialFolder, access: 'read' }],
    readable: [],
    pinned: [],
    replaced: [],
    hasNetwork: false,
    limits: SMALL_LIMITS,
  }
  const temporary = runtimeFiles().emptyFolder
  const argv = limited(SMALL_LIMITS, shell, [shell, '--noprofile', '--norc', '-c', PROBE])
  const { stdout, stderr, error } = spawnSync(
    SANDBOX_EXEC,
    [...argumentsFor(view, temporary), ...argv],
    { cwd: trialFolder, encoding: 'utf8', timeout: PROBE_MS, env: { PATH: '/usr/bin:/bin' } },
  )
  if (stdout?.trim() === SEEN) return undefined
  const said = stdout?.startsWith(SEEN)
    ? `its sandbox does not hold (${stdout.slice(SEEN.length).trim()})`
    : (stderr || error?.message || 'it did not say why').trim()
  return {
    reason: `sandbox-exec does not work here: ${said.slice(0, 300)}.`,
    mend: 'Use the simulated shell, or run this on Linux. A sandbox cannot be started inside of another one.',
  }
}

function argumentsFor(view: SandboxView, temporary: string): string[] {
  const { text, parameters } = seatbeltProfile(view, temporary)
  const given = Object.entries(parameters).flatMap(([name, path]) => ['-D', `${name}=${path}`])
  return [...given, '-p', text]
}

/** Of the limits those that do not count what the user runs elsewhere. */
function limited(
  { fileBytes, cpuSeconds }: SandboxLimits,
  shell: string,
  argv: readonly string[],
): string[] {
  const set = `ulimit -c 0; ${cpuLimit(cpuSeconds)}; ulimit -f ${Math.ceil(fileBytes / 512)}`
  const script = `{ ${set}; } 2>/dev/null; exec -- "$@"`
  return [shell, '--noprofile', '--norc', '-c', script, 'bash', ...argv]
}
