import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { callTool, failureOf } from '../test/call-tool.ts'
import { createScratch, type Scratch } from '../../node/test/scratch.ts'
import { createWorkspaceTools, type WorkspaceToolsOptions } from './create-workspace-tools.ts'
import type { Refusal } from './refusal.ts'

// Real processes, on a machine that may have others to run.
vi.setConfig({ testTimeout: 60_000 })

let scratch: Scratch
const refusals: Refusal[] = []

beforeEach(() => {
  refusals.length = 0
  scratch = createScratch()
  scratch.write({
    'a.txt': 'one\ntwo\nthree\n',
    'src/b.ts': 'export const b = 1\n',
    '.env': 'TOKEN=abcdefgh12345678\n',
    'link.txt': '->/etc/passwd',
    linkdir: '->/etc',
    'src/notes.md': '->../.env',
    'bin/ls': '#!/bin/sh\necho planted\n',
  })
})
afterEach(() => scratch.remove())

function shell(options: Partial<WorkspaceToolsOptions> = {}) {
  const made = createWorkspaceTools({
    root: scratch.path,
    shell: 'system',
    onRefused: (refusal) => refusals.push(refusal),
    ...options,
  })
  const run = (command: string, call: { abortSignal?: AbortSignal; toolCallId?: string } = {}) =>
    callTool(made.tools.bash, { command }, call)
  const status = async (command: string, toolCallId = 'x') => {
    const answer = await made.toolApproval.bash({ command }, { toolCallId })
    return typeof answer === 'object' ? answer.type : answer
  }
  return { ...made, run, status }
}

/** Processes whose command line holds a text. */
function processesWith(text: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text)
    } catch {
      return false
    }
  })
}

/** Waits until a file is there: another process writes it. */
async function fileAt(path: string): Promise<string> {
  while (!existsSync(path) || readFileSync(path, 'utf8') === '') {
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return readFileSync(path, 'utf8').trim()
}

/** Whether a process runs. */
function isAlive(pid: string): boolean {
  try {
    // One that has ended, and that nobody has asked for, is there by name only.
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

async function untilGone(pid: string): Promise<void> {
  while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 5))
}

describe('a command in the shell of the system', () => {
  it('prints to what the model reads, errors and exit code included', async () => {
    const { run } = shell()
    expect((await run('cat a.txt')).output).toBe('one\ntwo\nthree\n')
    expect((await run('echo out; echo err >&2; exit 3')).output).toMatch(
      /^(?:out\nerr|err\nout)\n\[Exit code 3\.\]\n$/,
    )
    expect((await run('true')).output).toBe('(no output)')
    expect((await run('no-such-program-here')).output).toBe(
      'no-such-program-here: command not found\n[Exit code 127.]\n',
    )
    expect((await run('printf "%s" "a b"; echo; echo ü資😀')).output).toBe('a b\nü資😀\n')
  })

  it('starts in the workspace, in a session of its own, without a terminal or input', async () => {
    const { run } = shell()
    expect((await run('pwd')).output).toBe(`${scratch.path}\n`)
    expect((await run('cat')).output).toBe('(no output)')
    expect((await run('tty')).output).toMatch(/not a tty/)
    expect((await run('ps -o pid=,pgid=,sid=,tty= -p $$')).output.trim()).toMatch(
      /^(\d+) +\1 +\1 +\?$/,
    )
  })

  it('has a scrubbed environment, and no program of the workspace on its path', async () => {
    process.env['ASSENT_TEST_SECRET'] = 'swordfish'
    const path = process.env['PATH']
    process.env['PATH'] = `${join(scratch.path, 'bin')}:.::node_modules/.bin:${path}`
    try {
      const { run } = shell({ env: { GREETING: 'hello' } })
      const { output } = await run('env')
      expect(output).not.toContain('ASSENT_TEST_SECRET')
      expect(output).not.toContain('NODE_OPTIONS')
      expect(output).toContain('GREETING=hello')
      expect(output).toContain('GIT_TERMINAL_PROMPT=0')
      expect(
        /^PATH=(.*)$/m
          .exec(output)?.[1]
          ?.split(':')
          .every((one) => one.startsWith('/')),
      ).toBe(true)
      expect((await run('ls src')).output).toBe('b.ts\nnotes.md\n')
    } finally {
      delete process.env['ASSENT_TEST_SECRET']
      process.env['PATH'] = path
    }
  })

  it.each([
    ['ls -la', 'approved'],
    ['cat a.txt | sort', 'approved'],
    ['cat *.txt', 'user-approval'],
    ['cat src/*.ts', 'approved'],
    ['cat src/*.md', 'user-approval'],
    ['cat link.txt', 'user-approval'],
    ['cat linkdir/passwd', 'user-approval'],
    ['cd linkdir && cat hostname', 'user-approval'],
    ['cat src/notes.md', 'user-approval'],
    ['cat .env', 'user-approval'],
    ['cat src/../.env', 'user-approval'],
    ['cat linkdir/../etc/passwd', 'user-approval'],
    ['grep -rn one .', 'user-approval'],
    ['grep -rn one src', 'approved'],
    ['rg one', 'approved'],
    ['diff src linkdir', 'user-approval'],
    ['diff . src', 'user-approval'],
    ['git diff --no-index src .', 'user-approval'],
    ['git diff src a.txt', 'approved'],
    ['diff a.txt src/b.ts', 'approved'],
    ['rg --hidden one', 'user-approval'],
    ['echo hi > out.txt', 'user-approval'],
    ['echo hi > link.txt', 'denied'],
    ['echo hi > linkdir/out.txt', 'denied'],
    ['echo hi > /tmp/assent-out.txt', 'denied'],
    ['rm -rf ..', 'denied'],
    ['rm a.txt', 'user-approval'],
    ['touch new.txt', 'user-approval'],
  ])('%j is judged by where its paths really lead: %s', async (command, fate) => {
    expect(await shell().status(command)).toBe(fate)
  })

  it('that is forbidden does not run, whoever calls it, and is told of', async () => {
    const { run, status } = shell({ commands: { deny: ['rm *'] } })
    expect(await status('rm a.txt')).toBe('denied')
    const said = await failureOf(run('ls; rm a.txt', { toolCallId: 'x' }))
    expect(said).toBe('Refused: The rule “rm *” forbids it (rm a.txt).')
    expect(existsSync(join(scratch.path, 'a.txt'))).toBe(true)
    expect(refusals).toEqual([
      expect.objectContaining({ code: 'forbidden', subject: 'rm a.txt' }),
      expect.objectContaining({ code: 'forbidden', toolCallId: 'x', subject: 'ls; rm a.txt' }),
    ])
  })

  it('that needed no question does not run when it would need one by now', async () => {
    const { run, status } = shell()
    expect(await status('cat later.txt', 'call')).toBe('approved')
    scratch.write({ 'later.txt': '->.env' })
    expect(await failureOf(run('cat later.txt', { toolCallId: 'call' }))).toMatch(/Call again/)
    expect(refusals).toEqual([expect.objectContaining({ code: 'changed' })])
  })

  it('streams what it prints, masked and bounded', async () => {
    const { run } = shell({ knownValues: ['abcdefgh12345678'], maxOutputLines: 3 })
    const { output, seen } = await run(
      'for i in 1 2 3 4 5 6; do echo "line $i"; sleep 0.15; done; cat .env',
    )
    expect(seen.length).toBeGreaterThan(2)
    expect(seen[0]).toContain('line 1')
    expect(output).toMatch(
      /^\[Output cut: the last 3 of 7 lines, .* of output [0-9a-f]{12}\.\]\nline 5\nline 6\nTOKEN=\[secret: [a-z ]+\]\n$/,
    )
    expect(seen.join('')).not.toContain('abcdefgh')
  })
})

describe('a process that a command leaves', () => {
  const script = (body: string) => `echo $$ > pid; sleep 1000 & echo $! > child; ${body}`

  it('ends with its group when the time is up: politely', async () => {
    const { run } = shell({ timeoutMs: 400, graceMs: 5_000 })
    const { output } = await run(
      script('trap "echo bye; exit 1" TERM; while :; do sleep 0.05; done'),
    )
    expect(output).toContain('bye\n')
    expect(output).toMatch(/\[Ended after 0\.4 s: its time was up\.\]\n$/)
    for (const file of ['pid', 'child']) await untilGone(await fileAt(join(scratch.path, file)))
  })

  it('ends for certain when it does not listen', async () => {
    const { run } = shell({ timeoutMs: 300, graceMs: 100 })
    const { output } = await run(
      script(
        'trap "" TERM; bash -c \'trap "" TERM; echo $$ > deep; while :; do sleep 0.05; done\'',
      ),
    )
    expect(output).toMatch(/its time was up/)
    for (const file of ['pid', 'child', 'deep']) {
      await untilGone(await fileAt(join(scratch.path, file)))
    }
  })

  it('ends when the call is aborted', async () => {
    const { run } = shell({ graceMs: 100 })
    const controller = new AbortController()
    const called = run(script('trap "" TERM; while :; do sleep 0.05; done'), {
      abortSignal: controller.signal,
    })
    const pid = await fileAt(join(scratch.path, 'child'))
    expect(isAlive(pid)).toBe(true)
    controller.abort()
    expect((await called).output).toMatch(/\[Ended: the call was cancelled\.\]/)
    await untilGone(pid)
    await untilGone(await fileAt(join(scratch.path, 'pid')))
  })

  it('ends with the command that started it', async () => {
    const { run } = shell()
    const { output } = await run('sleep 987 & echo $! > child; echo done')
    expect(output).toBe('done\n')
    await untilGone(await fileAt(join(scratch.path, 'child')))
    expect(processesWith('sleep\u0000987')).toEqual([])
  })

  it('does not start when the call was aborted before', async () => {
    const { run } = shell()
    const { output } = await run('touch made.txt', { abortSignal: AbortSignal.abort() })
    expect(output).toMatch(/cancelled/)
    expect(existsSync(join(scratch.path, 'made.txt'))).toBe(false)
  })
})

it(
  'keeps the end of an output of many megabytes, with exact counts, in bounded memory',
  { timeout: 60_000 },
  async () => {
    const { run, tools } = shell({ timeoutMs: 50_000 })
    const before = process.memoryUsage().rss
    const { output } = await run('seq 1 2500000')
    const [, lines, bytes] = /the last 2000 of (\d+) lines, \d+ of (\d+) bytes/.exec(output) ?? []
    const wc = await run('seq 1 2500000 | wc -lc')
    expect([Number(lines), Number(bytes)]).toEqual(wc.output.trim().split(/\s+/).map(Number))
    expect(output.endsWith('\n2499999\n2500000\n')).toBe(true)
    expect(process.memoryUsage().rss - before).toBeLessThan(400_000_000)
    const rest = await callTool(tools.readToolOutput, { offset: 0 })
    expect(rest.output).toMatch(
      /Go on with readToolOutput from byte offset \d+ of output [0-9a-f]{12}\.\]$/,
    )
  },
)
