import { execFileSync, spawn } from 'node:child_process'
import { accessSync, constants, readFileSync } from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import type { TrialOptions } from './shell-trial.ts'

/** The number of a user that nobody is, and no other test either. */
export const PLAIN_UID = 100_000 + process.pid

const answer = z.union([
  z.object({ failed: z.string(), ms: z.number() }),
  z.object({
    ended: z.string(),
    exitCode: z.number().nullable(),
    note: z.string().optional(),
    output: z.string(),
    leaks: z.boolean(),
    ms: z.number(),
  }),
])
export type PlainAnswer = z.infer<typeof answer>

/** Whether this process is root's: then commands can run as a user that nobody is. */
export const isRoot = process.getuid?.() === 0

/**
 * Starts a process that runs commands in the sandbox of a folder: as root, another user's, with a
 * network of its own on which every packet can be counted.
 *
 * @param secret is looked for in what commands print
 */
export async function startPlainUser(root: string, secret = '') {
  const script = join(import.meta.dirname, 'plain-user-trial.ts')
  const node = [process.execPath, '--conditions=@assent/source', script, root, secret]
  if (isRoot) execFileSync('chown', ['-hR', `${PLAIN_UID}:${PLAIN_UID}`, root])
  const network =
    'ip link set lo up; ip route add default dev lo; exec setpriv --reuid $0 --regid $0 --clear-groups "$@"'
  const [file = '', ...args] = isRoot
    ? ['unshare', '--net', 'sh', '-c', network, String(PLAIN_UID), ...node]
    : node
  const child = spawn(file, args, {
    cwd: '/',
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', TMPDIR: '/tmp', NODE_NO_WARNINGS: '1' },
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()

  async function run(command: string, options: TrialOptions = {}): Promise<PlainAnswer> {
    // A command may hold what some take for the end of a line.
    const text = Buffer.from(JSON.stringify({ ...options, command })).toString('base64')
    child.stdin.write(`${text}\n`)
    const { value } = await lines.next()
    return answer.parse(JSON.parse(Buffer.from(String(value), 'base64').toString()))
  }

  /** Packets that have left for anywhere, and tries to reach what is nowhere. */
  function packets(): number {
    const devices = readFileSync(`/proc/${child.pid}/net/dev`, 'utf8')
    const sent = [...devices.matchAll(/^\s*[^\s:|]+:\s*(?:\d+\s+){9}(\d+)/gm)]
    return sent.reduce((sum, [, count]) => sum + Number(count), 0)
  }

  async function end(): Promise<void> {
    child.stdin.end()
    if (child.exitCode === null) await once(child, 'exit')
  }

  // It is up when the first command has run.
  await run('true')
  return { run, packets, end, pid: child.pid }
}

/** Whether another user could read this code. */
export function canBeReadByOthers(): boolean {
  for (const path of [process.execPath, import.meta.filename]) {
    try {
      accessSync(path, constants.R_OK)
      execFileSync('setpriv', ['--reuid', `${PLAIN_UID}`, '--clear-groups', 'head', '-c1', path], {
        stdio: 'ignore',
      })
    } catch {
      return false
    }
  }
  return true
}
