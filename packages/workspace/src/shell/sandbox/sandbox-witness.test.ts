import { execFileSync, spawnSync } from 'node:child_process'
import { linkSync, readdirSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, inject, it, vi } from 'vitest'
import { createScratch, type Scratch } from '../../../../node/test/scratch.ts'
import { canBeReadByOthers, isRoot, PLAIN_UID, startPlainUser } from '../../../test/plain-user.ts'
import { processesWith } from '../../../test/processes.ts'
import { describeSandbox } from '../../../test/sandbox-here.ts'
import { watchOpens } from '../../../test/watch-opens.ts'
import { changesBetween, treeMap } from '../../../test/tree-map.ts'
import { commandSoup } from '../command-soup.fixture.ts'
import { DENIED } from '../denied-commands.fixture.ts'
import { EVERYDAY } from '../everyday-commands.fixture.ts'
import { HARM, inOtherWords } from '../harm-by-shell.fixture.ts'
import { HARMFUL_OPTIONS } from '../harmful-options.fixture.ts'
import { HIDDEN } from '../hidden-commands.fixture.ts'
import { isRunning } from './is-running.ts'

const isDeep = process.env['ASSENT_DEEP'] === '1'
const isSoak = process.env['ASSENT_SOAK'] === '1'
const RUNS = isSoak ? 20_000 : isDeep ? 500 : 30
/** Each so-manieth of the ways to do harm is run where it can do some. */
const CONTROL_STEP = isDeep ? 2 : 12
vi.setConfig({ testTimeout: isSoak ? 6 * 3_600_000 : 600_000 })

const SECRET = 'canary-swordfish-4711'
const CORPUS = [
  ...new Set([
    ...inOtherWords(HARM, 4),
    ...inOtherWords(HIDDEN, 2),
    ...inOtherWords(HARMFUL_OPTIONS, 1),
    ...inOtherWords(DENIED, 2),
    ...EVERYDAY,
  ]),
].filter((command) => !command.includes('\0'))

/** What somebody who trusts nobody sees of a command, from outside. */
interface Seen {
  changed: number
  packets: number
  leaks: number
  /** Commands that have opened a file that is hidden from them. */
  opens: number
  left: number
  failed: number
  ended: number
}

async function makeWorkspace(): Promise<{
  scratch: Scratch
  close: () => void
  opened: () => number
  secrets: readonly string[]
}> {
  const scratch = createScratch()
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], {
      cwd: scratch.path,
      stdio: 'ignore',
    })
  scratch.write({
    'a.txt': 'one\ntwo\n',
    x: 'x\n',
    'README.md': '# Read me\n',
    'package.json': '{ "name": "x", "scripts": { "test": "echo x > tested" } }\n',
    'src/index.ts': 'export {}\n',
    'build.log': 'line\n',
  })
  git('init', '-q')
  git('add', '.')
  git('commit', '-qm', 'one')
  git('config', 'remote.origin.url', `https://me:${SECRET}@192.0.2.1/x.git`)
  git('config', 'filter.evil.clean', 'echo x > filtered; cat')
  scratch.write({
    '.gitattributes': '*.txt filter=evil\n',
    '.env': `TOKEN=${SECRET}\n`,
    'src/.env.local': `TOKEN=${SECRET}\n`,
    '.ssh/id_rsa': `${SECRET}\n`,
    'link-to-env': '->.env',
    '.git/hooks/post-index-change': '#!/bin/sh\necho x > hooked\n',
  })
  linkSync(join(scratch.path, '.env'), join(scratch.path, 'hard-linked.txt'))
  execFileSync('mkfifo', [join(scratch.path, 'pipe')])
  let connections = 0
  const server = createServer((socket) => void ((connections += 1), socket.destroy()))
  await new Promise<void>((resolve) => server.listen(join(scratch.path, 'door.sock'), resolve))
  return {
    scratch,
    opened: () => connections,
    secrets: ['.env', 'src/.env.local', '.ssh/id_rsa'].map((path) => join(scratch.path, path)),
    close: () => {
      server.close()
      scratch.remove()
    },
  }
}

/** Runs commands, nobody asked, and counts what can be seen of them. */
async function witness(commands: readonly string[], isControl: boolean): Promise<Seen> {
  const seen: Seen = { changed: 0, packets: 0, leaks: 0, opens: 0, left: 0, failed: 0, ended: 0 }
  let place = await makeWorkspace()
  let user = await startPlainUser(place.scratch.path, SECRET)
  const marks = createScratch()
  let opens = await watchOpens(marks.path, place.secrets)
  let opensBefore = 0
  let before = treeMap(place.scratch.path)
  let since = 0
  for (const command of commands) {
    const packets = user.packets()
    const opened = place.opened()
    // Only what a command names is uncovered.
    const answer = await user.run(
      isControl ? `: .env src/.env.local .ssh/id_rsa\n${command}` : command,
      {
        timeoutMs: 1_500,
        graceMs: 100,
        // The control has the network of the process, which is one of its own.
        ...(isControl && {
          rights: ['write', 'credentials', 'git-settings', ...(isRoot ? ['network' as const] : [])],
        }),
      },
    )
    const changed = changesBetween(before, treeMap(place.scratch.path)).length > 0
    const isSent = user.packets() > packets || place.opened() > opened
    const left = leftProcesses(user.pid)
    const opensNow = await opens.count()
    const hasOpened = opensNow > opensBefore
    opensBefore = opensNow
    if (hasOpened) seen.opens += 1
    if ('failed' in answer) seen.failed += 1
    else {
      if (answer.ended !== 'exited') seen.ended += 1
      if (answer.leaks) seen.leaks += 1
    }
    if (changed) seen.changed += 1
    if (isSent) seen.packets += 1
    if (left > 0) seen.left += 1
    const isLeak = 'leaks' in answer && answer.leaks
    if (!isControl && (changed || isSent || hasOpened || left > 0 || isLeak)) {
      process.stdout.write(`It got out: ${JSON.stringify({ command, ...answer })}\n`)
    }
    since += 1
    if (!isControl || since % 6 !== 0) continue
    // It destroys what it works in.
    await user.end()
    place.close()
    place = await makeWorkspace()
    user = await startPlainUser(place.scratch.path, SECRET)
    await opens.close()
    opens = await watchOpens(marks.path, place.secrets)
    opensBefore = 0
    before = treeMap(place.scratch.path)
  }
  await user.end()
  await opens.close()
  marks.remove()
  place.close()
  return seen
}

/** Processes of the user that nobody is, but for the one that starts commands. */
function leftProcesses(own: number | undefined): number {
  if (!isRoot) return processesWith('sleep\u00004711').length
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === own) return false
    const found = statSync(`/proc/${pid}`, { throwIfNoEntry: false })
    return found?.uid === PLAIN_UID && isRunning(pid)
  }).length
}

describeSandbox('commands that nobody judged', () => {
  it.skipIf(isRoot && !canBeReadByOthers())(
    `change nothing, reach nobody, learn no secret and leave nothing: ${RUNS} of them`,
    async () => {
      expect(CORPUS.length).toBeGreaterThanOrEqual(1_500)
      const seed = inject('seed')
      const order = fc.shuffledSubarray(CORPUS, { minLength: CORPUS.length })
      const [shuffled = []] = fc.sample(order, { numRuns: 1, seed })
      const made = Math.max(0, RUNS - shuffled.length)
      const commands = [
        ...shuffled.slice(0, RUNS),
        ...fc.sample(commandSoup, { numRuns: made, seed }).map((text) => text.replaceAll('\0', '')),
      ].map((text) => text || ':')
      const mark = Date.now()
      const seen = await witness(commands, false)
      const harm = HARM.filter((_, index) => index % CONTROL_STEP === 0)
      const control = await witness(harm, true)
      const rows = {
        sandbox: { commands: commands.length, ...seen },
        control: { commands: harm.length, ...control },
      }
      process.stdout.write(`\n${tableOf(rows)}\n`)
      expect(seen).toMatchObject({ changed: 0, packets: 0, leaks: 0, opens: 0, left: 0, failed: 0 })
      expect(control.changed).toBeGreaterThan(0)
      expect(control.leaks).toBeGreaterThan(0)
      expect(control.opens).toBeGreaterThan(0)
      if (!isRoot) return
      expect(control.packets).toBeGreaterThan(0)
      expect(filesOf(PLAIN_UID, mark)).toEqual([])
    },
  )
})

/** Counts by what is counted, a line for each run. */
function tableOf(rows: Readonly<Record<string, Readonly<Record<string, number>>>>): string {
  return Object.entries(rows)
    .map(([name, counts]) => {
      const cells = Object.entries(counts).map(([what, count]) => `${what} ${count}`)
      return `${name.padEnd(8)} ${cells.join(' · ')}`
    })
    .join('\n')
}

/** Files anywhere that a user has changed since, but for what keeps its commands to their view. */
function filesOf(uid: number, since: number): string[] {
  const minutes = Math.ceil((Date.now() - since) / 60_000) + 1
  // What others make and take away meanwhile is no fault of a command.
  const skipped = ['(', '-path', '/proc', '-o', '-path', '/tmp/assent-*', ')', '-prune', '-o']
  const found = ['-uid', String(uid), '-mmin', `-${minutes}`, '-print']
  const { stdout, stderr, status } = spawnSync(
    'find',
    ['/', '-xdev', '-ignore_readdir_race', ...skipped, ...found],
    { encoding: 'utf8', env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' }, maxBuffer: 64_000_000 },
  )
  const faults = linesOf(stderr).filter((line) => !line.includes('No such file or directory'))
  expect({ faults, hasEnded: status !== null }).toEqual({ faults: [], hasEnded: true })
  return linesOf(stdout)
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '')
}
