import { spawn, type ChildProcess } from 'node:child_process'
import { errorCode } from '@assent/engine/error-code'

/** What is run, and how. */
export interface RunRequest {
  readonly command: string
  /** The words of a plain command: then no shell is needed. */
  readonly argv?: readonly string[] | undefined
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Path of bash, or of a shell that takes the same options. Default: `/bin/bash`. */
  readonly shellPath?: string | undefined
  readonly timeoutMs: number
  /** Milliseconds between the polite signal and the one that cannot be refused. */
  readonly graceMs: number
  readonly signal?: AbortSignal | undefined
  /** Told of what is printed, in the order in which it comes. */
  readonly onOutput: (text: string) => void
}

/** How a command ended. */
export interface RunResult {
  readonly exitCode: number | null
  /** The signal that ended it. */
  readonly signal: string | null
  readonly ended: 'exited' | 'timeout' | 'aborted'
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

/** Milliseconds in which what a command has printed last is read, when another process holds its pipes. */
const DRAIN_MS = 500

/**
 * Runs a command in a process group and session of its own, without a terminal or input. At its
 * timeout and when the signal aborts, the whole group is ended: politely, then for certain. When the
 * command has ended, so does what it left behind.
 */
export function runSystem(request: RunRequest): Promise<RunResult> {
  const { command, argv, cwd, env, shellPath = '/bin/bash', timeoutMs, graceMs, signal } = request
  const [file = shellPath, ...args] = argv ?? [shellPath, '--noprofile', '--norc', '-c', command]
  const { promise, resolve, reject } = Promise.withResolvers<RunResult>()
  if (signal?.aborted) return Promise.resolve({ exitCode: null, signal: null, ended: 'aborted' })
  const child = spawn(file, args, {
    cwd,
    env: { ...env },
    detached: process.platform !== 'win32',
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  })
  let ended: RunResult['ended'] = 'exited'
  let killer: NodeJS.Timeout | undefined
  let drain: NodeJS.Timeout | undefined

  function end(why: 'timeout' | 'aborted'): void {
    if (ended !== 'exited') return
    ended = why
    signalGroup(child, 'SIGTERM')
    killer = setTimeout(() => signalGroup(child, 'SIGKILL'), graceMs)
  }

  const timer = setTimeout(() => end('timeout'), timeoutMs)
  const abort = () => end('aborted')
  signal?.addEventListener('abort', abort, { once: true })
  read(child.stdout, request.onOutput)
  read(child.stderr, request.onOutput)

  child.once('error', (error) => {
    cleanUp()
    const said = NOT_STARTED.get(errorCode(error) ?? '')
    if (said === undefined) return reject(error)
    request.onOutput(`${file}: ${said}\n`)
    resolve({ exitCode: said === NOT_FOUND ? 127 : 126, signal: null, ended })
  })
  child.once('exit', () => {
    // What it started and did not wait for. After a polite end it has had its time with it.
    signalGroup(child, 'SIGKILL')
    drain = setTimeout(() => {
      child.stdout.destroy()
      child.stderr.destroy()
    }, DRAIN_MS)
  })
  child.once('close', (exitCode, by) => {
    cleanUp()
    resolve({ exitCode, signal: by, ended })
  })

  function cleanUp(): void {
    clearTimeout(timer)
    clearTimeout(killer)
    clearTimeout(drain)
    signal?.removeEventListener('abort', abort)
  }

  return promise
}

function read(stream: NodeJS.ReadableStream, onOutput: (text: string) => void): void {
  // One decoder for each: a character may come in two pieces.
  const decoder = new TextDecoder()
  stream.on('data', (bytes: Buffer) => {
    const text = decoder.decode(bytes, { stream: true })
    if (text !== '') onOutput(text)
  })
  stream.once('end', () => {
    const rest = decoder.decode()
    if (rest !== '') onOutput(rest)
  })
}

/** Signals every process of the group that a command leads. */
function signalGroup(child: ChildProcess, name: 'SIGTERM' | 'SIGKILL'): void {
  const { pid } = child
  if (pid === undefined) return
  try {
    if (process.platform === 'win32') child.kill(name)
    else process.kill(-pid, name)
  } catch (error) {
    // Nobody is left in it.
    if (errorCode(error) !== 'ESRCH' && errorCode(error) !== 'EPERM') throw error
  }
}
