import { AsyncLocalStorage } from 'node:async_hooks'
import { spawn } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** Milliseconds that a child which was told to stop has before it is killed. */
const GRACE = 3_000

export const ROOT = join(import.meta.dirname, '..')

const running = new Set<number>()
let isStopping = false

export interface ChildOptions {
  /** Default: the root of the workspace. */
  cwd?: string
  env?: Readonly<Record<string, string>>
}

/** Where the output of what runs now goes, when it is not shown at once. */
const collector = new AsyncLocalStorage<Buffer[]>()

/** Runs something whose programs run beside others: their output is for later, in one piece. */
export async function collectOutput<RESULT>(
  run: () => Promise<RESULT>,
): Promise<{ result: RESULT; output: Buffer }> {
  const pieces: Buffer[] = []
  const result = await collector.run(pieces, run)
  return { result, output: Buffer.concat(pieces) }
}

/**
 * Runs a program with its output shown, unless it is collected, and without input. Resolves to its exit code: 1 when it was
 * killed, 127 when it could not be started.
 */
export function runChild(
  command: string,
  args: readonly string[],
  options: ChildOptions = {},
): Promise<number> {
  const path = [join(ROOT, 'node_modules/.bin'), process.env['PATH'] ?? ''].join(delimiter)
  const pieces = collector.getStore()
  const sink = pieces ? 'pipe' : 'inherit'
  const child = spawn(command, args, {
    cwd: options.cwd ?? ROOT,
    env: { ...process.env, PATH: path, ...options.env },
    stdio: ['ignore', sink, sink],
    // It leads a process group, so that all that it starts in turn can be stopped with it.
    detached: process.platform !== 'win32',
  })
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (piece: Buffer) => pieces?.push(piece))
  }
  const { pid } = child
  if (pid !== undefined) running.add(pid)
  return new Promise((resolve) => {
    child.on('error', (error) => {
      console.error(error.message)
      resolve(127)
    })
    child.on('exit', async (code) => {
      if (pid !== undefined) await endOfGroup(pid)
      resolve(code ?? 1)
    })
  })
}

/** Tells all that runs to stop; kills what has not after three seconds. */
export function stopChildren(): void {
  isStopping = true
  for (const pid of running) {
    signalGroup(pid, 'SIGTERM')
    setTimeout(() => signalGroup(pid, 'SIGKILL'), GRACE).unref()
  }
}

/** Kills all that runs, at once. */
export function killChildren(): void {
  for (const pid of running) signalGroup(pid, 'SIGKILL')
}

/**
 * What outlives the leader of its group was forgotten and is killed. After a signal it may still be
 * cleaning up, a browser for one, and gets the time for it.
 */
async function endOfGroup(pid: number): Promise<void> {
  const end = performance.now() + (isStopping ? GRACE : 0)
  while (performance.now() < end && signalGroup(pid, 0)) await delay(20)
  signalGroup(pid, 'SIGKILL')
  running.delete(pid)
}

/** Whether there was anyone to get the signal; 0 only asks. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(process.platform === 'win32' ? pid : -pid, signal)
  } catch {
    return false
  }
}
