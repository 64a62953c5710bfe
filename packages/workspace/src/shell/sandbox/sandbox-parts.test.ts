import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createScratch, type Scratch } from '../../../../node/test/scratch.ts'
import { boundMasks, MOST_MASKS } from './bound-masks.ts'
import { cleanSettings } from './clean-git-config.ts'
import { judgeCommand } from '../judge-command.ts'
import { credentialsOf } from './credentials.ts'
import { createHiddenSearch } from './find-hidden.ts'
import { watchForMissingRights } from './missing-right.ts'
import { holeIn, mendOf } from './probe-bubblewrap.ts'
import type { Replaced } from './sandbox-view.ts'
import { seccompFilter } from './seccomp-filter.ts'
import { toolFolders } from './tool-folders.ts'

let scratch: Scratch

beforeEach(() => void (scratch = createScratch()))
afterEach(() => scratch.remove())

/** What the kernel would answer: a program of loads, jumps and returns, run over one call. */
function answerOf(
  filter: Buffer,
  {
    architecture,
    number,
    first = 0,
    args = [first],
  }: { architecture: number; number: number; first?: number; args?: readonly number[] },
) {
  const data = new Map([
    [0, number],
    [4, architecture],
    ...args.map((value, index) => [16 + 8 * index, value] as const),
  ])
  let value = 0
  for (let at = 0; at < filter.length / 8; at++) {
    const code = filter.readUInt16LE(at * 8)
    const [ifTrue = 0, ifFalse = 0] = filter.subarray(at * 8 + 2, at * 8 + 4)
    const operand = filter.readUInt32LE(at * 8 + 4)
    if (code === 0x20) value = data.get(operand) ?? 0
    else if (code === 0x15) at += value === operand ? ifTrue : ifFalse
    else if (code === 0x45) at += (value & operand) !== 0 ? ifTrue : ifFalse
    else if (code === 0x35) at += value >= operand ? ifTrue : ifFalse
    else return operand >>> 0
  }
  throw new Error('The program runs over its end.')
}

describe('the filter of system calls', () => {
  const ALLOW = 0x7fff_0000
  const EPERM = 0x0005_0001
  const X64 = { architecture: 0xc000003e, socket: 41 }
  const ARM64 = { architecture: 0xc00000b7, socket: 198 }

  it.each([
    ['x64', X64],
    ['arm64', ARM64],
  ])(
    'refuses what reaches out, and lets the rest be: %s',
    (processor, { architecture, socket }) => {
      const filter = seccompFilter(processor) ?? Buffer.alloc(0)
      const answer = (number: number, first = 0) =>
        answerOf(filter, { architecture, number, first })
      expect(answer(socket, 1)).toBe(EPERM)
      expect(answer(socket, 40)).toBe(EPERM)
      expect(answer(socket, 2)).toBe(ALLOW)
      expect(answer(socket, 10)).toBe(ALLOW)
      expect(answer(425)).toBe(0x0005_0026)
      expect(answer(processor === 'x64' ? 250 : 219)).toBe(EPERM)
      expect(answer(0)).toBe(ALLOW)
      expect(answerOf(filter, { architecture: 0x40000003, number: 0 })).toBe(0x8000_0000)
      const withAgent = seccompFilter(processor, { hasUnixSockets: true }) ?? Buffer.alloc(0)
      expect(answerOf(withAgent, { architecture, number: socket, first: 1 })).toBe(ALLOW)
      expect(answerOf(withAgent, { architecture, number: socket, first: 40 })).toBe(EPERM)
    },
  )

  it.each([
    ['x64', X64, { chmod: [90, 91, 133, 85], at: [268, 259, 452], open: [2], openat: [257] }],
    ['arm64', ARM64, { chmod: [52], at: [53, 33, 452], open: [], openat: [56] }],
  ])(
    'refuses modes that make who starts a file another user: %s',
    (processor, place, { chmod, at, open, openat }) => {
      const filter = seccompFilter(processor) ?? Buffer.alloc(0)
      const answer = (number: number, args: readonly number[]) =>
        answerOf(filter, { ...place, number, args })
      const [CREATE, TEMPORARY, APPEND] = [0o100, 0o20_200_000, 0o2000]
      for (const [mode, fate] of [
        [0o6777, EPERM],
        [0o4755, EPERM],
        [0o2755, EPERM],
        [0o755, ALLOW],
        [0o1777, ALLOW],
        [0o100_644, ALLOW],
      ] as const) {
        for (const number of chmod) expect(answer(number, [0o6000, mode])).toBe(fate)
        for (const number of at) expect(answer(number, [0o6000, 0o6000, mode])).toBe(fate)
        for (const number of open) expect(answer(number, [0, CREATE, mode])).toBe(fate)
        for (const number of openat) {
          expect(answer(number, [0, 0, CREATE, mode])).toBe(fate)
          expect(answer(number, [0, 0, TEMPORARY, mode])).toBe(fate)
          // Without them it may be anything.
          expect(answer(number, [0, 0, APPEND, mode])).toBe(ALLOW)
        }
      }
      expect(answer(437, [])).toBe(0x0005_0026)
    },
  )

  it('refuses the numbers of the other ABI of x64, and is not made for what it does not know', () => {
    const filter = seccompFilter('x64') ?? Buffer.alloc(0)
    expect(answerOf(filter, { ...X64, number: 0x4000_0000 + 41, first: 1 })).toBe(EPERM)
    expect(seccompFilter('riscv64')).toBeUndefined()
  })
})

describe('what a probe has to show', () => {
  const good = `Name:\tcat\nUid:\t1000\t1000\t1000\t1000\nNoNewPrivs:\t1\nCapEff:\t0000000000000000\nSeccomp:\t2
Inter-|   Receive\n face |bytes\n    lo:       0       0    0    0\n`

  it('is that nothing is open', () => {
    expect(holeIn(good, [])).toBeUndefined()
    expect(holeIn('', [])).toMatch(/privileges/)
    expect(holeIn(good.replace('NoNewPrivs:\t1', 'NoNewPrivs:\t0'), [])).toMatch(/privileges/)
    expect(holeIn(good.replace('CapEff:\t0', 'CapEff:\t1'), [])).toMatch(/capabilities/)
    expect(holeIn(good.replace('Seccomp:\t2', 'Seccomp:\t0'), [])).toMatch(/filter/)
    expect(holeIn(`${good}  eth0:       0       0    0    0\n`, [])).toMatch(/network/)
    expect(holeIn(good.replace(/ {4}lo.*\n/, ''), [])).toMatch(/network/)
    expect(holeIn(good, ['written'])).toMatch(/write/)
    expect(holeIn(`${good}the workspace was written\n`, [])).toMatch(/write/)
  })
})

describe('a sandbox that does not work', () => {
  it.each([
    ['bwrap: setting up uid map: Permission denied', /AppArmor|apparmor/],
    ['bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted', /apparmor/],
    ['bwrap: No permissions to create new namespace, likely because …', /In a container/],
    ["bwrap: Can't mount proc on /newroot/proc: Operation not permitted", /In a container/],
    ['bwrap: Unknown option --disable-userns', /0\.8\.0 or later/],
    ['bwrap: Creating new namespace failed, … (No space left on device)', /max_user_namespaces/],
    ['something that nobody knows', /In a container/],
  ])('is told of with what helps: %s', (said, mend) => expect(mendOf(said)).toMatch(mend))
})

describe('the settings of a repository', () => {
  const clean = (settings: Record<string, string>) =>
    cleanSettings(
      Object.entries(settings)
        .map(([key, value]) => `${key}\n${value}\0`)
        .join(''),
    )

  it('keep what says what it is, without passwords', () => {
    expect(
      clean({
        'core.bare': 'false',
        'remote.a "b\\.url': 'https://me:word@example.com/x.git',
        'remote.s.url': 'ssh://git:word@example.com/x.git',
        'remote.f.url': 'git@example.com:x.git',
        'branch.main.merge': 'refs/heads/main',
        'user.name': 'Ada\n[alias]\nx = !evil',
      }),
    ).toBe(`[core]
\tbare = "false"
[remote "a \\"b\\\\"]
\turl = "https://example.com/x.git"
[remote "s"]
\turl = "ssh://git@example.com/x.git"
[remote "f"]
\turl = "git@example.com:x.git"
[branch "main"]
\tmerge = "refs/heads/main"
[user]
\tname = "Ada\\n[alias]\\nx = !evil"
`)
  })

  it.each([
    'core.fsmonitor',
    'core.hookspath',
    'core.pager',
    'core.sshcommand',
    'core.editor',
    'core.gitproxy',
    'core.askpass',
    'core.attributesfile',
    'core.alternaterefscommand',
    'alias.st',
    'filter.x.clean',
    'filter.x.process',
    'diff.external',
    'diff.x.textconv',
    'merge.x.driver',
    'gpg.program',
    'credential.helper',
    'include.path',
    'includeif.gitdir:/.path',
    'remote.origin.promisor',
    'remote.origin.vcs',
    'remote.origin.uploadpack',
    'extensions.partialclone',
    'pager.log',
    'protocol.ext.allow',
    'url.x.insteadof',
    'http.extraheader',
    'http.https://x.extraheader',
    'submodule.x.update',
    'trailer.x.command',
    'sequence.editor',
    'interactive.difffilter',
    'uploadpack.packobjectshook',
  ])('lose what runs a program, reads a file or tells a secret: %s', (key) => {
    expect(clean({ [key]: 'evil', 'core.bare': 'true' })).toBe('[core]\n\tbare = "true"\n')
  })
})

describe('what is hidden', () => {
  const files = (count: number, folder: string): Replaced[] =>
    Array.from({ length: count }, (_, index) => ({
      path: `/w/${folder}/${index}.pem`,
      by: 'hidden-file',
    }))

  it('takes a bounded number of places: folders with most of it are hidden as a whole', () => {
    expect(boundMasks(files(MOST_MASKS, 'a'), ['/w'])).toHaveLength(MOST_MASKS)
    const many = [...files(80, 'node_modules/x/test'), ...files(30, 'b')]
    expect(boundMasks(many, ['/w'])).toEqual([
      ...files(30, 'b'),
      { path: '/w/node_modules/x/test', by: 'hidden-folder' },
    ])
    const each = Array.from({ length: 500 }, (_, index) => files(1, `m/${index}`)).flat()
    expect(boundMasks(each, ['/w'])?.length).toBeLessThanOrEqual(MOST_MASKS)
  })

  it('hides no root, and says so', () => {
    const inRoot = Array.from({ length: 200 }, (_, index): Replaced => ({
      path: `/w/${index}.pem`,
      by: 'hidden-file',
    }))
    expect(boundMasks(inRoot, ['/w'])).toBeUndefined()
    expect(boundMasks(files(200, 'a'), ['/w', '/w/a/inner'])).toBeUndefined()
  })

  it('is found again only where a folder has changed, and never lost', async () => {
    scratch.write({
      'a/b/.env': 'x',
      'a/c.txt': 'x',
      'd/.ssh/id_rsa': 'x',
      'd/e.txt': '->../a/b/.env',
    })
    let asked = 0
    const search = createHiddenSearch(scratch.path, (path) => {
      asked += 1
      return /\.env$|\.ssh\/$/.test(path)
    })
    const paths = async () =>
      (await search()).secrets.map(({ path }) => path.slice(scratch.path.length + 1)).toSorted()
    expect(await paths()).toEqual(['a/b/.env', 'd/.ssh'])
    await new Promise((resolve) => setTimeout(resolve, 50))
    await search()
    asked = 0
    expect(await paths()).toEqual(['a/b/.env', 'd/.ssh'])
    expect(asked).toBe(0)
    scratch.write({ 'a/new/.env': 'x' })
    expect(await paths()).toEqual(['a/b/.env', 'a/new/.env', 'd/.ssh'])
  })
})

describe('the credentials of a command', () => {
  it('are those that it names, and those of its programs', () => {
    scratch.write({ '.npmrc': 'x', '.ssh/id': 'x', '.netrc': 'x', 'secrets/a b': 'x' })
    scratch.write({ '.env': 'x', 'sub/.env': 'x', '.env.local': 'x', 'link.txt': '->sub/.env' })
    const hidden: Replaced[] = ['.env', 'sub/.env', '.env.local', 'secrets'].map((name) => ({
      path: join(scratch.path, name),
      by: name === 'secrets' ? 'hidden-folder' : 'hidden-file',
    }))
    const of = (command: string) => {
      const { names } = judgeCommand(command)
      const place = { cwd: scratch.path, home: scratch.path, agentSocket: '/agent' }
      const found = credentialsOf(names, hidden, place)
      expect(found.inWorkspace.length + found.stillHidden.length).toBe(hidden.length)
      return [
        found.inWorkspace.map(({ path }) => path.slice(scratch.path.length + 1)),
        found.inHome,
        found.isAll,
        found.agentSocket,
      ]
    }
    expect(of('cat .env')).toEqual([['.env'], [], false, undefined])
    expect(of('cat "secrets/a b"|wc')).toEqual([['secrets'], [], false, undefined])
    expect(of('npm publish')).toEqual([[], ['.npmrc'], false, undefined])
    expect(of('/usr/bin/git push')).toEqual([[], ['.netrc', '.ssh'], false, '/agent'])
    const only = (command: string) => of(command)[0]
    expect(only('cat ./sub/../sub/.env; python3 r.py')).toEqual(['sub/.env'])
    expect(only(`cat ${scratch.path}/sub/.env`)).toEqual(['sub/.env'])
    expect(only('cd sub && cat .env')).toEqual(['sub/.env'])
    expect(only('cat link.txt')).toEqual(['sub/.env'])
    expect(only('node --env-file=sub/.env app.js < .env.local')).toEqual(['sub/.env', '.env.local'])
    expect(only('bash -c "frobnicate .env"')).toEqual(['.env'])
    for (const nothing of [
      'frobnicate',
      'cat nope/.env; python3 r.py',
      'python3 r.py # .env sub/.env',
      'cat $DIR/.env',
      'cat .e*',
      'ls sub',
      `python3 -c "print(open('.env').read())"`,
      'cat "(.env"',
    ]) {
      expect([nothing, only(nothing)]).toEqual([nothing, []])
    }
    expect(of('frobnicate # git')).toEqual([[], [], false, undefined])
  })
})

describe('folders of programs', () => {
  it('are those that only this user can write, with what belongs to them', () => {
    for (const folder of ['sdk/bin', 'sdk/lib', 'sdk/share', 'sdk/etc', 'open/bin', 'work/bin']) {
      mkdirSync(join(scratch.path, folder), { recursive: true, mode: 0o755 })
    }
    mkdirSync(join(scratch.path, 'shared'))
    writeFileSync(join(scratch.path, 'file'), '')
    symlinkSync(join(scratch.path, 'sdk/bin'), join(scratch.path, 'link'))
    const at = (name: string) => join(scratch.path, name)
    const path = ['link', 'work/bin', 'file', 'missing'].map(at)
    expect(toolFolders([...path, '/usr/bin', '/', '/root'].join(':'), [at('work')])).toEqual(
      ['sdk/bin', 'sdk/lib', 'sdk/share'].map(at),
    )
  })
})

describe('a right that a command lacks', () => {
  const missing = (text: string, exitCode = 1, has: ('write' | 'network')[] = []) => {
    const watch = watchForMissingRights(new Set(has))
    watch.add(text.slice(0, 7), 'stderr')
    watch.add(text.slice(7), 'stderr')
    return watch.found({ exitCode })
  }

  it.each([
    ["touch: cannot touch 'x': Read-only file system", ['write']],
    ['Error: EROFS: read-only file system, open', ['write']],
    ["OSError: [Errno 30] Read-only file system: 'x'", ['write']],
    ['error: could not lock config file .git/config: Read-only file system', ['git-settings']],
    ['bash: connect: Network is unreachable', ['network']],
    ['curl: (6) Could not resolve host: example.com', ['network']],
    ['npm error getaddrinfo EAI_AGAIN registry.npmjs.org', ['network']],
    ['fatal: unable to access: Could not resolve host: github.com\nEROFS', ['write', 'network']],
    ['all is well', []],
  ])('is read from %j', (text, rights) => expect(missing(text)).toEqual(rights))

  it('is none that it has', () => {
    expect(missing('Read-only file system', 1, ['write'])).toEqual([])
  })
})
