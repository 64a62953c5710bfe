import { errorCode } from '@assent/engine/error-code'
import type { RunResult } from '../shell.ts'
import { runProcess, signalProcess, type ProcessWatch } from './run-process.ts'

/** A command that is run without a sandbox. */
export interface BareRequest extends ProcessWatch {
  /** The program, and its arguments. */
  readonly argv: readonly [string, ...string[]]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

const NOT_FOUND = 'command not found'
/** Why a program does not start, as a shell says it. */
const NOT_STARTED: ReadonlyMap<string, string> = new Map([
  ['ENOENT', NOT_FOUND],
  ['EACCES', 'permission denied'],
  ['ENOEXEC', 'cannot be run: it names no interpreter'],
  ['ENOTDIR', 'no such file or folder'],
  ['E2BIG', 'too many words'],
])

/**
 * Runs a command with all that the user of this process may do, in a process group and session of its
 * own. When the command has ended, so does what it left behind in its group.
 */
export async function runBare({ argv, ...request }: BareRequest): Promise<RunResult> {
  const [file, ...args] = argv
  try {
    return await runProcess({
      ...request,
      file,
      args,
      end: (child, how) => {
        const name = how === 'politely' ? 'SIGTERM' : 'SIGKILL'
        if (child.pid === undefined) return
        if (process.platform === 'win32') child.kill(name)
        else signalProcess(-child.pid, name)
      },
    })
  } catch (error) {
    const said = NOT_STARTED.get(errorCode(error) ?? '')
    if (said === undefined) throw error
    request.onOutput(`${file}: ${said}\n`, 'stderr')
    return { exitCode: said === NOT_FOUND ? 127 : 126, signal: null, ended: 'exited' }
  }
}
