import { spawn, type ChildProcess } from 'node:child_process'
import type { Readable } from 'node:stream'
import { errorCode } from '@assent/engine/error-code'
import type { RunResult } from '../shell.ts'

/** Bytes that a command may print. Of what is printed far less is shown. */
export const MOST_OUTPUT_BYTES = 32_000_000

/** Milliseconds in which what a command has printed last is read, when another process holds its pipes. */
const DRAIN_MS = 500

/** What is told of a process while it runs. */
export interface ProcessWatch {
  readonly timeoutMs: number
  /** Milliseconds between the polite signal and the one that cannot be refused. */
  readonly graceMs: number
  readonly signal?: AbortSignal | undefined
  /** Told of what is printed, in the order in which it comes. */
  readonly onOutput: (text: string, from: 'stdout' | 'stderr') => void
}

/** A program that is started, and how it is ended. */
export interface ProcessRequest extends ProcessWatch {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Numbers of files that it gets as its fourth and so on; a pipe is made for each `'pipe'`. */
  readonly more?: readonly ('pipe' | number)[]
  readonly onStart?: (child: ChildProcess) => void
  /** Ends all that it has started: politely, or for certain. */
  readonly end: (child: ChildProcess, how: 'politely' | 'for-certain') => void
}

/**
 * Starts a program without a terminal or input, reads what it prints, and ends it at its timeout, when
 * the signal aborts, and when it prints without end. Rejects when it cannot be started.
 */
export function runProcess(request: ProcessRequest): Promise<RunResult> {
  const { file, args, cwd, env, more = [], timeoutMs, graceMs, signal, onOutput } = request
  if (signal?.aborted) return Promise.resolve({ exitCode: null, signal: null, ended: 'aborted' })
  const { promise, resolve, reject } = Promise.withResolvers<RunResult>()
  const child = spawn(file, args, {
    cwd,
    env: { ...env },
    detached: process.platform !== 'win32',
    stdio: ['ignore', 'pipe', 'pipe', ...more],
    windowsHide: true,
  })
  const { stdout, stderr } = child
  let ended: RunResult['ended'] = 'exited'
  let killer: NodeJS.Timeout | undefined
  let drain: NodeJS.Timeout | undefined
  let bytesRead = 0

  function end(why: Exclude<RunResult['ended'], 'exited'>): void {
    if (ended !== 'exited') return
    ended = why
    if (why === 'too-much-output') return request.end(child, 'for-certain')
    request.end(child, 'politely')
    killer = setTimeout(() => request.end(child, 'for-certain'), graceMs)
  }

  const timer = setTimeout(() => end('timeout'), timeoutMs)
  const abort = () => end('aborted')
  signal?.addEventListener('abort', abort, { once: true })

  function read(stream: Readable | null, from: 'stdout' | 'stderr'): void {
    // One decoder for each: a character may come in two pieces.
    const decoder = new TextDecoder()
    stream?.on('data', (bytes: Buffer) => {
      if (ended === 'too-much-output') return
      bytesRead += bytes.length
      const text = decoder.decode(bytes, { stream: true })
      if (text !== '') onOutput(text, from)
      if (bytesRead > MOST_OUTPUT_BYTES) end('too-much-output')
    })
    stream?.once('end', () => {
      const rest = decoder.decode()
      if (rest !== '') onOutput(rest, from)
    })
  }
  read(stdout, 'stdout')
  read(stderr, 'stderr')

  function cleanUp(): void {
    clearTimeout(timer)
    clearTimeout(killer)
    clearTimeout(drain)
    signal?.removeEventListener('abort', abort)
  }

  child.once('error', (error) => {
    cleanUp()
    reject(error)
  })
  child.once('exit', () => {
    // What it started and did not wait for. After a polite end it has had its time with it.
    request.end(child, 'for-certain')
    drain = setTimeout(() => {
      stdout?.destroy()
      stderr?.destroy()
    }, DRAIN_MS)
  })
  child.once('close', (exitCode, by) => {
    cleanUp()
    resolve({ exitCode, signal: by, ended })
  })
  if (child.pid !== undefined) request.onStart?.(child)
  return promise
}

/** Signals a process, or a group by its number below zero. One that is gone needs none. */
export function signalProcess(pid: number, name: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (errorCode(error) !== 'ESRCH' && errorCode(error) !== 'EPERM') throw error
  }
}
