import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { runCli } from '../src/cli/run-cli.ts'

const CLI = join(import.meta.dirname, '../src/cli/cli.ts')

/** What a command of the command line came to. */
export interface CliResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

interface CliOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
}

function start(args: readonly string[], { cwd, env }: CliOptions) {
  // Without the variables of whoever runs the tests, so that none of them counts.
  const { PATH = '', HOME = '' } = process.env
  // Node 22 warns of its SQLite.
  const flags = ['--conditions=@assent/source', '--disable-warning=ExperimentalWarning']
  return spawn(process.execPath, [...flags, CLI, ...args], {
    env: { PATH, HOME, TZ: 'UTC', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(cwd !== undefined && { cwd }),
  })
}

/** Runs the command line in this process. Without `ASSENT_DATABASE` there is no database. */
export async function callCli(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CliResult> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const printed = Promise.all([text(stdout), text(stderr)])
  const code = await runCli({
    args,
    env: { ASSENT_DATABASE: '/nonexistent/assent.db', ...env },
    stdout,
    stderr,
    width: undefined,
    now: Date.now,
    signal: new AbortController().signal,
  })
  stdout.end()
  stderr.end()
  const [out, err] = await printed
  return { code, stdout: out, stderr: err }
}

/** Runs the command line in a process of its own, to its end. */
export async function spawnCli(
  args: readonly string[],
  options: CliOptions = {},
): Promise<CliResult> {
  const child = start(args, options)
  const [[code], stdout, stderr] = await Promise.all([
    once(child, 'exit'),
    text(child.stdout),
    text(child.stderr),
  ])
  return { code: typeof code === 'number' ? code : null, stdout, stderr }
}

/** A command that goes on until it is told to end. */
export interface RunningCli {
  /** The next line that it prints. */
  line(): Promise<string>
  /** Tells it to end, and resolves to its exit code. */
  end(signal: 'SIGINT' | 'SIGTERM'): Promise<number | null>
}

/** Starts a command that goes on. */
export function startCli(args: readonly string[], options: CliOptions = {}): RunningCli {
  const child = start(args, options)
  const exit = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    async line() {
      const { done, value } = await lines.next()
      if (done === true) throw new Error('The command ended before it printed a line.')
      return value
    },
    async end(signal) {
      child.kill(signal)
      const [code] = await exit
      return typeof code === 'number' ? code : null
    },
  }
}
