import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { callBash, callTool, failureOf } from '../test/call-tool.ts'
import { processesWith } from '../test/processes.ts'
import { programsWithout } from '../test/programs-without.ts'
import { describeSandbox } from '../test/sandbox-here.ts'
import { shellTrial } from '../test/shell-trial.ts'
import { createScratch, type Scratch } from '../../node/test/scratch.ts'
import { createWorkspaceTools, type WorkspaceToolsOptions } from './create-workspace-tools.ts'
import type { BashInput } from './bash.ts'
import { isRunning } from './shell/sandbox/is-running.ts'
import type { Refusal } from './refusal.ts'

// Real processes, on a machine that may have others to run.
vi.setConfig({ testTimeout: 60_000 })

let scratch: Scratch
let programs: string
const elsewhere = createScratch()
afterAll(() => elsewhere.remove())
beforeAll(() => {
  programs = programsWithout('bwrap', join(elsewhere.path, 'bin'))
})
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
    callBash(made.tools.bash, { command }, call)
  const status = async (command: string, toolCallId = 'x') => {
    const answer = await made.toolApproval.bash({ command }, { toolCallId })
    return typeof answer === 'object' ? answer.type : answer
  }
  let calls = 0
  /** Runs it after a yes. */
  async function approved(command: string, call: { abortSignal?: AbortSignal } = {}) {
    const toolCallId = `approved-${++calls}`
    await status(command, toolCallId)
    return run(command, { ...call, toolCallId })
  }
  return { ...made, run, status, approved }
}

/** The same where bubblewrap is not installed. */
function bare(options: Partial<WorkspaceToolsOptions> = {}) {
  const made = shell({ env: { PATH: programs }, ...options })
  return { ...made, made, run: made.approved, runUnasked: made.run }
}

/** Tools, why they would ask, and what comes of a call that a person has approved. */
function asking() {
  const made = createWorkspaceTools({ root: scratch.path, shell: 'system' })
  let calls = 0
  async function ask(input: BashInput, toolCallId = `ask-${++calls}`): Promise<string | undefined> {
    const answer = await made.toolApproval.bash(input, { toolCallId })
    return typeof answer === 'object' && 'reason' in answer ? answer.reason : undefined
  }
  async function approved(input: BashInput): Promise<string> {
    const toolCallId = `ask-${++calls}`
    await ask(input, toolCallId)
    return (await callBash(made.tools.bash, input, { toolCallId })).output
  }
  return { made, ask, approved }
}

/** Waits until a file is there: another process writes it. */
async function fileAt(path: string): Promise<string> {
  while (!existsSync(path) || readFileSync(path, 'utf8') === '') {
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return readFileSync(path, 'utf8').trim()
}

async function untilGone(pid: string): Promise<void> {
  while (isRunning(pid)) await new Promise((resolve) => setTimeout(resolve, 5))
}

describeSandbox('a command in the shell of the system', () => {
  it('prints to what the model reads, errors and exit code included', async () => {
    const { run } = shell()
    expect((await run('cat a.txt')).output).toBe('one\ntwo\nthree\n')
    expect((await run('echo out; echo err >&2; exit 3')).output).toMatch(
      /^(?:out\nerr|err\nout)\n\[Exit code 3\.\]\n$/,
    )
    expect((await run('true')).output).toBe('(no output)\n')
    expect((await run('no-such-program-here')).output).toBe(
      'bash: line 1: exec: no-such-program-here: not found\n[Exit code 127.]\n',
    )
    expect((await run('printf "%s" "a b"; echo; echo ü資😀')).output).toBe('a b\nü資😀\n')
  })

  it('starts in the workspace, in a session of its own, without a terminal or input', async () => {
    const { run } = shell()
    expect((await run('pwd')).output).toBe(`${scratch.path}\n`)
    expect((await run('cat')).output).toBe('(no output)\n')
    expect((await run('tty')).output).toMatch(/not a tty/)
    expect((await run('ps -o pid=,pgid=,sid=,tty= -p $$')).output.trim()).toMatch(/^2 +1 +1 +\?$/)
  })

  it('has a scrubbed environment, and no program of the workspace on its path', async () => {
    process.env['ASSENT_TEST_SECRET'] = 'swordfish'
    const path = process.env['PATH']
    process.env['PATH'] = `${join(scratch.path, 'bin')}:.::node_modules/.bin:${path}`
    try {
      const { run, approved } = shell({ env: { GREETING: 'hello' } })
      const { output } = await approved('env')
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
    ['cat *.txt', 'approved'],
    ['grep -rn one .', 'approved'],
    ['rg --hidden one', 'approved'],
    ['git diff', 'approved'],
    // It is not there.
    ['cat link.txt', 'approved'],
    ['cat ~/.ssh/id_rsa', 'approved'],
    // Nothing is known of it, and it can do no harm.
    ['frobnicate --all', 'approved'],
    ['python3 -c "print(1)"', 'approved'],
    ['cat .env', 'user-approval'],
    ['cat src/notes.md', 'user-approval'],
    ['cat src/../.env', 'user-approval'],
    ['rm a.txt', 'user-approval'],
    ['touch new.txt', 'user-approval'],
    ['frobnicate > out.txt', 'user-approval'],
    ['frobnicate; rm a.txt', 'user-approval'],
    ['curl https://example.com', 'user-approval'],
    ['echo hi > link.txt', 'denied'],
    ['echo hi > /tmp/assent-out.txt', 'denied'],
    ['rm -rf ..', 'denied'],
  ])('%j is asked about when the sandbox would stop it: %s', async (command, fate) => {
    expect(await shell().status(command)).toBe(fate)
  })

  it('is asked about with the rights that it names and needs, and gets no other', async () => {
    const { made, ask, approved } = asking()
    const reason = await ask({ command: 'frobnicate', rights: ['network'] })
    expect(reason).toBe(
      'What frobnicate does is not known. It may use the network, also services of this machine.',
    )
    expect(await ask({ command: 'ls', rights: ['write'] })).toBe(
      'It may change files of the workspace.',
    )
    expect(await ask({ command: 'cat .env > copy.txt' })).toBe(
      'Changes copy.txt (> copy.txt); .env may hold secrets. It may change files of the workspace and read secrets: .env.',
    )
    await ask({ command: 'touch x', rights: ['network'] })
    expect(made.toolOptions.bash.summary?.({ command: 'touch x', rights: ['network'] })).toBe(
      'Run touch x and let it change files of the workspace and use the network, also services of this machine',
    )
    const written = await approved({ command: 'echo a > new.txt; cat .env; cat src/*.md' })
    expect(readFileSync(join(scratch.path, 'new.txt'), 'utf8')).toBe('a\n')
    expect(written).toContain('TOKEN=')
    const { output } = await callBash(made.tools.bash, {
      command: `perl -e 'open(F, ">new.txt") or die $!'`,
    })
    expect(output).toMatch(/Read-only file system/)
  })

  it.each(['\u0430.txt', 'a\u2800.txt'])(
    'is asked about with the rights that it needs, also where its letters deceive: %j',
    async (name) => {
      const { ask, approved } = asking()
      const command = `echo hi > "${name}"; cat .env`
      expect(await ask({ command })).toMatch(
        /(?:looks Latin|cannot be seen).*It may change files of the workspace and read secrets: \.env\./,
      )
      expect(await approved({ command })).toContain('TOKEN=')
      expect(readFileSync(join(scratch.path, name), 'utf8')).toBe('hi\n')
    },
  )

  it('says where it ran, with which rights, and what a yes permits', async () => {
    const { made, ask } = asking()
    const sandbox = /^in bubblewrap \d+\.\d+\.\d+ /
    const plain = await callBash(made.tools.bash, { command: 'echo "[Ran without a sandbox.]"' })
    expect(plain.place).toMatch(/^in (?:bubblewrap [\d.]+|sandbox-exec) without rights$/)
    expect(plain.output).toBe('[Ran without a sandbox.]\n')
    const input: BashInput = { command: 'touch x; cat .env', rights: ['network'] }
    const preview = async (of: BashInput) =>
      made.toolOptions.bash.preview?.(of, { toolCallId: 'p' })
    expect(await preview(input)).toMatchObject({
      command: 'touch x; cat .env',
      rights:
        'It may change files of the workspace, use the network, also services of this machine and read secrets: .env.',
    })
    expect(await preview({ command: 'ls' })).toMatchObject({
      rights: 'In its sandbox it can change nothing.',
    })
    await ask(input, 'call')
    const { place } = await callBash(made.tools.bash, input, { toolCallId: 'call' })
    expect(place.replace(sandbox, '')).toBe('with the rights write, network, credentials')
  })

  it('does not run when it needs other rights by now than a person was asked about', async () => {
    const { made, ask } = asking()
    const command = 'cat later.txt; touch new.txt'
    expect(await ask({ command }, 'call')).toMatch(/It may change files of the workspace\.$/)
    scratch.write({ 'later.txt': '->.env' })
    const said = await failureOf(callBash(made.tools.bash, { command }, { toolCallId: 'call' }))
    expect(said).toMatch(/^Refused: it needs other rights by now/)
    expect(existsSync(join(scratch.path, 'new.txt'))).toBe(false)
    scratch.write({ 'sub/.env': 'TOKEN=other\n' })
    const input = { command: 'cat src/notes.md' }
    expect(await ask(input, 'second')).toMatch(/secrets: (?:src\/notes\.md, )?\.env/)
    rmSync(join(scratch.path, 'src/notes.md'))
    scratch.write({ 'src/notes.md': '->../sub/.env' })
    const second = callBash(made.tools.bash, input, { toolCallId: 'second' })
    expect(await failureOf(second)).toMatch(/other rights/)
  })

  it('gets the secrets whose whole paths the question names', async () => {
    scratch.write({ 'a1/.env': 'A=first\n', 'b1/.env': 'B=second\n' })
    scratch.write({ 'all.sh': 'cat .env a1/.env b1/.env\n' })
    const { ask, approved } = asking()
    const command = 'cat a1/.env; sh all.sh'
    expect(await ask({ command })).toMatch(
      /It may read secrets: a1\/\.env\. Still hidden, since no word of it is their path: .*b1\/\.env/,
    )
    const output = await approved({ command })
    expect(output).toContain('A=first')
    expect(output).not.toMatch(/B=second|TOKEN=/)
    const unnamed = await approved({ command: 'sh all.sh # .env', rights: ['credentials'] })
    expect(unnamed).not.toMatch(/A=first|B=second|TOKEN=/)
  })

  it('is asked about with the names of secrets as they are, whatever they look like', async () => {
    scratch.write({ 'a\u202Egpj.pem': 'A\n', '\u0430bc.pem': 'B\n', 'k.pem': '->a\u202Egpj.pem' })
    const { made, ask } = asking()
    const input: BashInput = { command: 'cat *.pem', rights: ['credentials'] }
    const named: BashInput = { command: 'cat k.pem' }
    const said = [await ask(input), await ask(named), made.toolOptions.bash.summary?.(named)]
    for (const one of said) {
      expect(one).toContain('a\\u202egpj.pem')
      expect(one).not.toContain('\u202E')
    }
    expect(said[0]).toContain('а looks Latin and is another letter (U+0430)')
  })

  it('does not run under the id of a call that was asked about with another command or right', async () => {
    for (const asked of ['touch harmless', 'ls']) {
      const { made, ask } = asking()
      await ask({ command: asked }, 'call')
      const others: BashInput[] = [
        { command: 'rm a.txt' },
        { command: 'touch harmless', rights: ['network'] },
      ]
      for (const input of others) {
        const said = await failureOf(callBash(made.tools.bash, input, { toolCallId: 'call' }))
        expect(said).toMatch(/^Refused: .*no person was asked about this command/)
      }
    }
    expect(existsSync(join(scratch.path, 'a.txt'))).toBe(true)
    expect(existsSync(join(scratch.path, 'harmless'))).toBe(false)
  })

  it('runs without any right only, when the app itself runs it under an id of its own', async () => {
    const { made } = asking()
    const inputs: BashInput[] = [
      { command: 'rm a.txt' },
      { command: 'ls', rights: ['write'] },
      { command: 'cat .env' },
    ]
    for (const input of inputs) {
      const said = await failureOf(callBash(made.tools.bash, input, { toolCallId: 'own' }))
      expect(said).toMatch(/^Refused: no person was asked about this command with these rights/)
    }
    expect(existsSync(join(scratch.path, 'a.txt'))).toBe(true)
    expect((await callBash(made.tools.bash, { command: 'ls a.txt' })).output).toBe('a.txt\n')
  })

  it('runs after a yes that another process was asked about', async () => {
    const { made } = asking()
    const input = { command: 'touch made' }
    await made.toolApproval.bash(input, { toolCallId: 'call', isDecided: true })
    await callBash(made.tools.bash, input, { toolCallId: 'call' })
    expect(existsSync(join(scratch.path, 'made'))).toBe(true)
  })

  it('is asked about with all of its parts, those that destroy first', async () => {
    const { ask } = asking()
    const long = `printf hi > ok.txt #${'y'.repeat(4_000)}\nrm a.txt`
    expect(await ask({ command: long })).toMatch(/^[^.]*\(rm a\.txt\); /)
    expect(
      await ask({ command: 'frobnicate; touch 1; touch 2; touch 3; touch 4; rm a.txt' }),
    ).toMatch(/^[^.]*\(rm a\.txt\); .*; and 3 more\. /)
  })

  it('is asked about, whatever it is, where more would have to be hidden than can be', async () => {
    const keys = Array.from({ length: 120 }, (_, index) => [`key-${index}.pem`, `key ${index}\n`])
    scratch.write(Object.fromEntries(keys))
    const { ask, approved } = asking()
    expect(await ask({ command: 'ls' })).toMatch(
      /^More files than can be hidden may hold secrets\. It may read every file of the workspace that may hold secrets \(.* and \d+ more\)\.$/,
    )
    expect(await approved({ command: 'cat key-7.pem' })).toBe('key 7\n')
    const { inside } = shellTrial(scratch.path)
    await expect(inside('ls')).rejects.toMatchObject({ code: 'sandbox_failed' })
  })

  it('that lacked a right is asked about anew, and the card says that it has run', async () => {
    const { made, ask, approved } = asking()
    const command = `perl -e 'open(F, ">made.txt") or die $!'`
    expect(await ask({ command })).toBeUndefined()
    const { output } = await callBash(made.tools.bash, { command })
    expect(output).toContain('call again with rights: ["write"]; a person is asked.')
    expect(await ask({ command, rights: ['write'] })).toMatch(
      /It may change files of the workspace\. It has run before without what it needed \(the workspace can only be read\) and may have done a part of its work\.$/,
    )
    await approved({ command, rights: ['write'] })
    expect(existsSync(join(scratch.path, 'made.txt'))).toBe(true)
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

  it.each([
    'x=rm; $x a.txt',
    'eval "$c"',
    `python3 -c "import os; os.system('rm a.txt')"`,
    './a.sh',
  ])('asks where a rule may be about what it runs: %s', async (command) => {
    expect(await shell().status(command)).toBe('approved')
    const { toolApproval } = shell({ commands: { deny: ['rm *'] } })
    expect(await toolApproval.bash({ command }, { toolCallId: 'x' })).toMatchObject({
      type: 'user-approval',
      reason: expect.stringMatching(/so a rule may be about it/),
    })
    expect(await shell({ commands: { ask: ['cat *'] } }).status(command)).toBe('user-approval')
  })

  it('that needed no question does not run when it would need one by now', async () => {
    const { run, status } = shell()
    expect(await status('cat later.txt', 'call')).toBe('approved')
    scratch.write({ 'later.txt': '->.env' })
    expect(await failureOf(run('cat later.txt', { toolCallId: 'call' }))).toMatch(/Call again/)
    expect(refusals).toEqual([expect.objectContaining({ code: 'changed' })])
  })

  it('streams what it prints, masked and bounded', async () => {
    const { approved } = shell({ knownValues: ['abcdefgh12345678'], maxOutputLines: 3 })
    const { output, seen } = await approved(
      'for i in 1 2 3 4 5 6; do echo "line $i"; sleep 0.15; done; cat .env',
    )
    expect(seen.length).toBeGreaterThan(2)
    expect(seen[0]).toContain('line 1')
    expect(output).toMatch(
      /^\[Output cut: the last 2 of 7 lines, .* of output [0-9a-f]{12}\.\]\nline 6\nTOKEN=\[secret: [a-z ]+\]\n$/,
    )
    expect(seen.join('')).not.toContain('abcdefgh')
  })
})

describe('a command where no sandbox is installed', () => {
  it('is asked about, whatever it is, and the question says why', async () => {
    const { made, status } = bare()
    expect(made.tools.bash.description).toContain(
      'A person is asked about every command, since there is no sandbox here. bubblewrap (bwrap) is not installed. Install it:',
    )
    for (const command of ['ls', 'true', 'frobnicate', 'cat a.txt']) {
      expect(await status(command)).toBe('user-approval')
    }
    expect(await status('rm -rf ..')).toBe('denied')
    expect(await made.toolApproval.bash({ command: 'ls' }, { toolCallId: 'x' })).toEqual({
      type: 'user-approval',
      reason:
        'It runs without a sandbox, so it may do all that this user may. bubblewrap (bwrap) is not installed.',
    })
  })

  it('does not run under the id of a call that was asked about with another command', async () => {
    const { runUnasked: run, status } = bare()
    expect(await status('ls', 'call')).toBe('user-approval')
    expect(await failureOf(run('rm a.txt', { toolCallId: 'call' }))).toMatch(/no person was asked/)
    expect((await run('ls', { toolCallId: 'call' })).output).toContain('a.txt\n')
  })

  it('does not run under an id that nobody was asked about', async () => {
    const { tools } = bare().made
    const call = callBash(tools.bash, { command: 'touch made.txt' }, { toolCallId: 'own' })
    expect(await failureOf(call)).toMatch(/no person was asked/)
    expect(existsSync(join(scratch.path, 'made.txt'))).toBe(false)
  })

  it('is what there is for a workspace that is the whole machine', async () => {
    const { tools, status } = shell({ root: '/' })
    expect(tools.bash.description).toContain('The workspace is the whole machine.')
    expect(await status('ls')).toBe('user-approval')
  })

  it('is warned of once', async () => {
    const warned = vi.fn<(warning: Error) => void>()
    process.on('warning', warned)
    bare()
    bare()
    await new Promise((resolve) => setImmediate(resolve))
    process.off('warning', warned)
    expect(
      warned.mock.calls.filter(([{ message }]) => /not installed/.test(message)).length,
    ).toBeLessThan(2)
  })

  it('says that it ran without one, and that it may do what this user may', async () => {
    const { run, made } = bare()
    expect((await run('true')).place).toBe('without a sandbox')
    expect(
      await made.toolOptions.bash.preview?.({ command: 'true' }, { toolCallId: 'p' }),
    ).toMatchObject({
      rights: 'It runs without a sandbox, so it may do all that this user may.',
    })
  })

  it('runs after a yes', async () => {
    const { run } = bare()
    expect((await run('echo $HOME; echo x > new.txt; cat new.txt')).output).toBe(
      `${process.env['HOME']}\nx\n`,
    )
    expect((await run('no-such-program-here')).output).toBe(
      'no-such-program-here: command not found\n[Exit code 127.]\n',
    )
  })
})

describe('a process that a command leaves, without a sandbox', () => {
  const script = (body: string) => `echo $$ > pid; sleep 1000 & echo $! > child; ${body}`

  it('ends with its group when the time is up: politely', async () => {
    const { run } = bare({ timeoutMs: 400, graceMs: 5_000 })
    const { output } = await run(
      script('trap "echo bye; exit 1" TERM; while :; do sleep 0.05; done'),
    )
    expect(output).toContain('bye\n')
    expect(output).toMatch(/\[Ended after 0\.4 s: its time was up\.\]\n$/)
    for (const file of ['pid', 'child']) await untilGone(await fileAt(join(scratch.path, file)))
  })

  it('ends for certain when it does not listen', async () => {
    const { run } = bare({ timeoutMs: 300, graceMs: 100 })
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
    const { run } = bare({ graceMs: 100 })
    const controller = new AbortController()
    const called = run(script('trap "" TERM; while :; do sleep 0.05; done'), {
      abortSignal: controller.signal,
    })
    const pid = await fileAt(join(scratch.path, 'child'))
    expect(isRunning(pid)).toBe(true)
    controller.abort()
    expect((await called).output).toMatch(/\[Ended: the call was cancelled\.\]/)
    await untilGone(pid)
    await untilGone(await fileAt(join(scratch.path, 'pid')))
  })

  it('ends with the command that started it', async () => {
    const { run } = bare()
    const { output } = await run('sleep 987 & echo $! > child; echo done')
    expect(output).toBe('done\n')
    await untilGone(await fileAt(join(scratch.path, 'child')))
    expect(processesWith('sleep\u0000987')).toEqual([])
  })

  it('does not start when the call was aborted before', async () => {
    const { run } = bare()
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
    const [, lines, bytes] = /the last 1999 of (\d+) lines, \d+ of (\d+) bytes/.exec(output) ?? []
    const wc = await run('seq 1 2500000 | wc -lc')
    // The line that says where it ran is no part of it.
    expect([Number(lines), Number(bytes)]).toEqual(wc.output.trim().split(/\s+/).map(Number))
    expect(output.endsWith('\n2499999\n2500000\n')).toBe(true)
    expect(process.memoryUsage().rss - before).toBeLessThan(400_000_000)
    const rest = await callTool(tools.readToolOutput, { offset: 0 })
    expect(rest.output).toMatch(
      /Go on with readToolOutput from byte offset \d+ of output [0-9a-f]{12}\.\]$/,
    )
  },
)
