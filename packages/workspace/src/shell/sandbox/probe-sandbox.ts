import { spawnSync } from 'node:child_process'
import { SANDBOX_HOME } from './bubblewrap-arguments.ts'
import { probeBubblewrap } from './probe-bubblewrap.ts'
import { runBubblewrap } from './run-bubblewrap.ts'
import { probeSeatbelt, runSeatbelt, SEATBELT_HOME } from './run-seatbelt.ts'
import type { NoSandbox, Sandbox, SandboxedCommand } from './sandbox.ts'
import { findProgram } from './tool-folders.ts'

const NOT_INSTALLED: NoSandbox = {
  reason: 'bubblewrap (bwrap) is not installed.',
  mend: 'Install it: `apt install bubblewrap`, `dnf install bubblewrap`, `apk add bubblewrap`.',
}

const probed = new Map<string, Sandbox | NoSandbox>()

/** Where programs are looked for. */
export interface SandboxPlace {
  /** A path without folders of the workspace. */
  readonly path: string
  readonly shellPath: string
}

/**
 * The sandbox of this system, or why there is none. Tried once per process: that takes some 20 ms.
 */
export function probeSandbox({ path, shellPath }: SandboxPlace): Sandbox | NoSandbox {
  const key = `${shellPath}\0${path}`
  const before = probed.get(key)
  if (before) return before
  const found = probeOn(process.platform, path, shellPath)
  probed.set(key, found)
  return found
}

/** Whether there is a sandbox. */
export function isSandbox(found: Sandbox | NoSandbox): found is Sandbox {
  return 'run' in found
}

function probeOn(platform: NodeJS.Platform, path: string, shell: string): Sandbox | NoSandbox {
  if (platform === 'linux') return probeLinux(path, shell)
  return platform === 'darwin' ? probeMac(shell) : elsewhere()
}

function probeMac(shell: string): Sandbox | NoSandbox {
  const run = (command: SandboxedCommand) => runSeatbelt(shell, command)
  return probeSeatbelt(shell) ?? { name: 'sandbox-exec', home: SEATBELT_HOME, run }
}

function probeLinux(path: string, shell: string): Sandbox | NoSandbox {
  const bubblewrap = findProgram('bwrap', path)
  if (bubblewrap === undefined) return NOT_INSTALLED
  const programs = { bubblewrap, shell }
  const failure = probeBubblewrap(programs)
  if (failure) return failure
  const { stdout } = spawnSync(bubblewrap, ['--version'], { encoding: 'utf8', timeout: 5_000 })
  return {
    name: stdout.trim() || 'bubblewrap',
    home: SANDBOX_HOME,
    run: (command) => runBubblewrap(programs, command),
  }
}

function elsewhere(): NoSandbox {
  return {
    reason: `There is no sandbox for commands on ${process.platform}.`,
    mend: 'Use the simulated shell, or run this on Linux (on Windows: WSL 2).',
  }
}
