import { closeSync } from 'node:fs'
import type { ChildProcess } from 'node:child_process'
import { Readable } from 'node:stream'
import type { RunResult } from '../shell.ts'
import { runProcess, signalProcess } from '../system/run-process.ts'
import { BUBBLEWRAP_START, bubblewrapArguments, limitedCommand } from './bubblewrap-arguments.ts'
import { isRunning } from './is-running.ts'
import { runtimeFiles } from './runtime-files.ts'
import { SandboxError, type SandboxedCommand } from './sandbox.ts'
import { seccompFilter } from './seccomp-filter.ts'

/** Where bwrap and the bash inside of it are. */
export interface BubblewrapPrograms {
  readonly bubblewrap: string
  readonly shell: string
}

/** Characters of the errors of bwrap itself that are told of. */
const MOST_OF_AN_ERROR = 500

/**
 * Runs one command in a sandbox of its own, which ends with it: whatever it has started is ended with
 * the namespace of its processes.
 */
export async function runBubblewrap(
  { bubblewrap, shell }: BubblewrapPrograms,
  { argv, env, view, onOutput, ...watch }: SandboxedCommand,
): Promise<RunResult> {
  const files = runtimeFiles()
  const filter = seccompFilter(process.arch, { hasUnixSockets: view.agentSocket !== undefined })
  if (!filter) throw new SandboxError(`there is no filter for ${process.arch} processors.`)
  // bwrap reads it to its end: each run needs one of its own.
  const filterFile = files.openOnce(filter)
  const argsFile = files.openOnce(bubblewrapArguments(view, files))
  const status = createStatus()
  const errors = holdBack((text) => onOutput(text, 'stderr'))
  try {
    const result = await runProcess({
      ...watch,
      file: bubblewrap,
      args: [...BUBBLEWRAP_START, ...limitedCommand(view.limits, shell, argv)],
      cwd: '/',
      // Handed on by the environment: arguments can be read by every user of the machine.
      env,
      more: ['pipe', filterFile, argsFile],
      onStart: (child) => status.read(child),
      onOutput: (text, from) => {
        if (from === 'stderr') errors.add(text)
        else onOutput(text, from)
      },
      end: (child, how) => {
        const { first } = status
        // The first process of the namespace ignores it; what leads its group's others does not.
        if (how === 'politely' && first !== undefined) signalProcess(-first, 'SIGTERM')
        // With bwrap, and so with this process, all that is inside ends.
        else child.kill('SIGKILL')
      },
    })
    if (status.first !== undefined) await untilEnded(status.first)
    if (result.ended === 'exited' && status.exitCode === undefined) {
      throw new SandboxError(errors.held.slice(0, MOST_OF_AN_ERROR).trim() || 'bwrap was ended.')
    }
    errors.release()
    if (result.ended !== 'exited') return result
    return { ...result, exitCode: status.exitCode ?? null, signal: null }
  } finally {
    closeSync(filterFile)
    closeSync(argsFile)
  }
}

/** Holds errors back that may be those of bwrap: of a command that has not run nothing is shown. */
function holdBack(tell: (text: string) => void) {
  const own = 'bwrap: '
  let held = ''
  let isHolding = true

  function release(): void {
    isHolding = false
    if (held !== '') tell(held)
    held = ''
  }

  return {
    get held() {
      return held
    },
    release,
    add(text: string): void {
      if (!isHolding) return tell(text)
      held += text
      if (!held.startsWith(own.slice(0, held.length))) release()
    },
  }
}

/** What bwrap reports beside what the command prints. Only an exit code proves that the command ran. */
function createStatus() {
  let first: number | undefined
  let exitCode: number | undefined
  let rest = ''

  function readLine(line: string): void {
    const fields: unknown = JSON.parse(line)
    if (typeof fields !== 'object' || fields === null) return
    const pid: unknown = Reflect.get(fields, 'child-pid')
    const code: unknown = Reflect.get(fields, 'exit-code')
    if (typeof pid === 'number') first = pid
    if (typeof code === 'number') exitCode = code
  }

  return {
    /** The first process of the namespace, as it is known outside. */
    get first() {
      return first
    },
    get exitCode() {
      return exitCode
    },
    read(child: ChildProcess): void {
      const stream = child.stdio[3]
      if (!(stream instanceof Readable)) return
      stream.setEncoding('utf8')
      stream.on('data', (text: string) => {
        const lines = `${rest}${text}`.split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) if (line.trim() !== '') readLine(line)
      })
    },
  }
}

/** Waits until the first process of a namespace is gone: the kernel lets it go after all others. */
async function untilEnded(pid: number): Promise<void> {
  while (isRunning(pid)) await new Promise((resolve) => setTimeout(resolve, 1))
}
