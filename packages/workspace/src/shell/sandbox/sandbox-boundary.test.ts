import { execFileSync, spawn } from 'node:child_process'
import {
  closeSync,
  constants,
  existsSync,
  linkSync,
  openSync,
  readFileSync,
  readlinkSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { basename, dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createScratch, type Scratch } from '../../../../node/test/scratch.ts'
import { canBeReadByOthers, isRoot, startPlainUser } from '../../../test/plain-user.ts'
import { processesWith } from '../../../test/processes.ts'
import { describeSandbox } from '../../../test/sandbox-here.ts'
import { NODE_FOLDER, shellTrial } from '../../../test/shell-trial.ts'
import { watchOpens } from '../../../test/watch-opens.ts'
import { changesBetween, treeMap } from '../../../test/tree-map.ts'
import { isSandbox, probeSandbox } from './probe-sandbox.ts'
import { HIDDEN_TEXT } from './runtime-files.ts'
import { SMALL_LIMITS, type SandboxView } from './sandbox-view.ts'

// Real processes, on a machine that may have others to run.
vi.setConfig({ testTimeout: 60_000 })

const SECRET = 'canary-swordfish-4711'
const FILES = {
  'a.txt': 'one\n',
  'src/b.ts': 'export const b = 1\n',
  '.env': `TOKEN=${SECRET}\n`,
  'src/.env.local': `TOKEN=${SECRET}\n`,
  '.ssh/id_rsa': `${SECRET}\n`,
  'link-to-env': '->.env',
}

let scratch: Scratch
let trial: ReturnType<typeof shellTrial>

beforeEach(() => {
  scratch = createScratch()
  scratch.write(FILES)
  trial = shellTrial(scratch.path)
})
afterEach(() => scratch.remove())

const git = (...args: string[]) => {
  const who = ['-c', 'user.name=A', '-c', 'user.email=a@example.com']
  return execFileSync('git', [...who, ...args], { cwd: scratch.path, stdio: 'pipe' })
}

describeSandbox('a command that nobody approved', () => {
  it.each([
    'echo x > new.txt',
    'echo x >> a.txt',
    'rm -rf a.txt src',
    'mv a.txt b.txt',
    'sed -i s/one/two/ a.txt',
    'chmod 777 a.txt',
    'touch -d 2001-01-01 a.txt',
    'ln -s a.txt l',
    'ln a.txt l',
    'mkdir d',
    `cp a.txt "$PWD/copy.txt"`,
  ])('changes nothing in the workspace: %s', async (command) => {
    const before = treeMap(scratch.path)
    await trial.inside(command)
    expect(changesBetween(before, treeMap(scratch.path))).toEqual([])
    await trial.outside(command)
    expect(changesBetween(before, treeMap(scratch.path))).not.toEqual([])
  })

  it('reaches nobody over the network, this machine included', async () => {
    let connections = 0
    let datagrams = 0
    const server = createServer((socket) => void ((connections += 1), socket.destroy()))
    const datagramServer = createSocket('udp4', () => void (datagrams += 1))
    server.listen(0, '127.0.0.1')
    datagramServer.bind(0, '127.0.0.1')
    await Promise.all([once(server, 'listening'), once(datagramServer, 'listening')])
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : 0
    const command = `exec 3<>/dev/tcp/127.0.0.1/${port}; echo x > /dev/udp/127.0.0.1/${datagramServer.address().port}`
    try {
      const { output } = await trial.inside(command)
      expect(output).toMatch(/Connection refused/)
      expect([connections, datagrams]).toEqual([0, 0])
      const arrived = once(datagramServer, 'message')
      await Promise.all([trial.outside(command), arrived])
      expect([connections, datagrams]).toEqual([1, 1])
      await trial.inside(command, { rights: ['network'] })
      expect(connections).toBe(2)
    } finally {
      server.close()
      datagramServer.close()
    }
  })

  it('talks to no socket of Unix, abstract ones included', async () => {
    let connections = 0
    const places = [join(scratch.path, 'door.sock'), `\0assent-${process.pid}`]
    const servers = places.map((place) => {
      const server = createServer((socket) => void ((connections += 1), socket.end()))
      return server.listen(place)
    })
    await Promise.all(servers.map((server) => once(server, 'listening')))
    const code = `for (const path of ${JSON.stringify(places)}) require("net").connect(path).on("error", (e) => console.log(e.code)).on("connect", () => console.log("IN"))`
    const command = `${NODE_FOLDER}/node -e '${code}'`
    try {
      expect((await trial.inside(command)).output).toBe('EPERM\nEPERM\n')
      // Also with the network that a namespace of its own would cut off.
      expect((await trial.inside(command, { rights: ['network'] })).output).toBe('EPERM\nEPERM\n')
      expect(connections).toBe(0)
      expect((await trial.outside(command)).output).toBe('IN\nIN\n')
      expect(connections).toBe(2)
    } finally {
      for (const server of servers) server.close()
    }
  })

  it('writes to no pipe on which somebody listens', async () => {
    const path = join(scratch.path, 'pipe')
    execFileSync('mkfifo', [path])
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const bytes = Buffer.alloc(16)
    try {
      await trial.inside('echo x > pipe', { timeoutMs: 3_000 })
      expect(readSync(reader, bytes)).toBe(0)
      const outside = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
      await trial.outside('echo x > pipe')
      expect(readSync(reader, bytes)).toBe(2)
      closeSync(outside)
    } finally {
      closeSync(reader)
    }
  })

  it.each([
    'cat .env',
    'cat src/.env.local',
    'cat link-to-env',
    'cat .ssh/id_rsa',
    'cat notes.txt',
    'cat plain-key',
    'grep -rh TOKEN .',
    'cat /proc/self/cwd/.env',
    'cp .env /tmp/x && cat /tmp/x',
    'tar cf - . | strings',
    'ls -la .ssh && cat .ssh/*',
  ])('does not get to see a secret: %s', async (command) => {
    linkSync(join(scratch.path, '.env'), join(scratch.path, 'notes.txt'))
    linkSync(join(scratch.path, '.ssh/id_rsa'), join(scratch.path, 'plain-key'))
    const { output } = await trial.inside(command)
    expect(output).not.toContain(SECRET)
    expect((await trial.outside(command)).output).toContain(SECRET)
  })

  it('does not get to see a secret that has come, been linked or been replaced since', async () => {
    expect((await trial.inside('cat a.txt')).output).toBe('one\n')
    scratch.write({ 'src/later/.env': `${SECRET}\n` })
    expect((await trial.inside('cat src/later/.env')).output).toBe(HIDDEN_TEXT)
    linkSync(join(scratch.path, 'src/later/.env'), join(scratch.path, 'plain.txt'))
    expect((await trial.inside('cat plain.txt')).output).toBe(HIDDEN_TEXT)
    // A file that was there under a plain name becomes one with a name that tells.
    linkSync(join(scratch.path, 'a.txt'), join(scratch.path, 'key.pem'))
    expect((await trial.inside('cat a.txt')).output).toBe(HIDDEN_TEXT)
    rmSync(join(scratch.path, 'key.pem'))
    expect((await trial.inside('cat a.txt')).output).toBe('one\n')
  })

  it('does not get to see where a link to a secret leads to, whenever that comes and goes', async () => {
    scratch.write({ 'deep/plain.txt': `${SECRET}\n`, 'link.pem': '->deep/plain.txt' })
    expect((await trial.inside('cat deep/plain.txt')).output).toBe(HIDDEN_TEXT)
    rmSync(join(scratch.path, 'deep/plain.txt'))
    expect((await trial.inside('echo on')).output).toBe('on\n')
    scratch.write({ 'deep/plain.txt': `${SECRET}\n` })
    expect((await trial.inside('cat link.pem')).output).toBe(HIDDEN_TEXT)
  })

  it('opens no secret, by whatever name, as the kernel sees it from outside', async () => {
    linkSync(join(scratch.path, '.env'), join(scratch.path, 'notes.txt'))
    const elsewhere = createScratch()
    const secrets = ['.env', 'src/.env.local', '.ssh/id_rsa'].map((path) =>
      join(scratch.path, path),
    )
    const opens = await watchOpens(elsewhere.path, secrets)
    try {
      const commands = [
        'cat .env notes.txt link-to-env',
        'grep -r TOKEN . .ssh',
        'tar cf /tmp/x .',
        'cat src/.e*',
      ]
      for (const command of commands) await trial.inside(command)
      await trial.inside(`cp -rL . /tmp/all; : > .env; echo x > a.txt`, {
        rights: ['write', 'network'],
      })
      expect(await opens.count()).toBe(0)
      await trial.inside('cat .env', { rights: ['credentials'] })
      expect(await opens.count()).toBe(1)
      await trial.outside('cat notes.txt src/.env.local')
      expect(await opens.count()).toBe(3)
    } finally {
      await opens.close()
      elsewhere.remove()
    }
  })

  it('sees no home folder, no processes, no variables and no files of others', async () => {
    process.env['ASSENT_TEST_SECRET'] = SECRET
    try {
      const see = 'cat /proc/*/environ; ls -A ~ /root /run /var /home/*; ps -e -o args= || ls /proc'
      const { output } = await trial.inside(see)
      expect(output).not.toContain(SECRET)
      expect(processesWith('vitest').length).toBeGreaterThan(0)
      expect(output).not.toContain('vitest')
      expect((await trial.inside('echo $HOME; ls -A ~')).output).toBe('/home/user\n')
      const others = createScratch()
      expect((await trial.outside('ls /tmp')).output).toContain(basename(others.path))
      expect((await trial.inside('ls /tmp')).output).not.toContain(basename(others.path))
      others.remove()
    } finally {
      delete process.env['ASSENT_TEST_SECRET']
    }
  })

  it('makes Git run no program of the repository, whatever its settings and hooks say', async () => {
    git('init', '-q')
    git('add', 'a.txt', 'src/b.ts')
    git('commit', '-qm', 'one')
    scratch.write({
      '.gitattributes': '*.txt filter=evil diff=evil\n*.ts diff=text\n',
      '.git/hooks/post-index-change': '#!/bin/sh\necho RAN >&2\n',
      'a.txt': 'changed\n',
      'src/b.ts': 'changed\n',
    })
    execFileSync('chmod', ['+x', join(scratch.path, '.git/hooks/post-index-change')])
    for (const [key, value] of Object.entries({
      'filter.evil.clean': 'echo RAN >&2; cat',
      'diff.evil.command': 'echo RAN',
      'diff.text.textconv': 'echo RAN; cat',
      'core.fsmonitor': 'echo RAN >&2; false',
      'alias.st': '!echo RAN',
      'remote.origin.url': `https://me:${SECRET}@example.com/x.git`,
    })) {
      git('config', key, value)
    }
    const commands = ['git status', 'git diff', 'git st', 'git log -p', 'git show HEAD']
    const said = async (run: typeof trial.inside) => {
      const outputs = []
      for (const command of commands) outputs.push((await run(command)).output)
      return outputs.join('')
    }
    const inside = await said(trial.inside)
    expect(inside).not.toContain('RAN')
    expect(inside).toContain('modified:   a.txt')
    expect(inside).toContain('+changed')
    expect((await trial.inside('cat .git/config; git remote -v')).output).not.toContain(SECRET)
    expect(await said(trial.outside)).toContain('RAN')
  })

  it('sees the repository of a work tree that is elsewhere, when both name each other', async () => {
    const main = createScratch()
    const run = (...args: string[]) => execFileSync('git', args, { cwd: main.path, stdio: 'pipe' })
    try {
      main.write({ 'a.txt': 'one\n', 'secret/HEAD': SECRET })
      run('init', '-q')
      run('config', 'user.email', 'a@example.com')
      run('config', 'user.name', 'A')
      run('add', 'a.txt')
      run('commit', '-qm', 'first')
      run('worktree', 'add', '-q', join(scratch.path, 'tree'))
      const tree = shellTrial(join(scratch.path, 'tree'))
      expect((await tree.inside('git log --oneline')).output).toMatch(/first\n$/)
      expect((await tree.inside('git status --short')).output).toBe('')
      // Whoever can write the workspace could name any folder.
      scratch.write({ 'tree/sub/.git': `gitdir: ${main.path}/secret\n` })
      expect((await tree.inside(`cat ${main.path}/secret/HEAD`)).output).toMatch(/No such file/)
    } finally {
      main.remove()
    }
  })
})

describeSandbox('a command that does not end by itself', () => {
  it('is ended when it prints without end', async () => {
    const { ended } = await trial.inside('cat /dev/zero')
    expect(ended).toBe('too-much-output')
  })

  it('ends politely when its time is up', async () => {
    const { output, ended } = await trial.inside(
      'trap "echo bye; exit 1" TERM; echo on; while :; do sleep 0.05; done',
      { timeoutMs: 400 },
    )
    expect(ended).toBe('timeout')
    expect(output).toContain('bye')
  })

  it.each([
    'trap "" TERM; sleep 98765 & while :; do sleep 0.05; done',
    'setsid sleep 98765 >/dev/null 2>&1 </dev/null & sleep 98765',
  ])('ends for certain with all that it has started: %s', async (command) => {
    expect((await trial.inside(command, { timeoutMs: 400 })).ended).toBe('timeout')
    expect(processesWith('sleep\u000098765')).toEqual([])
  })

  it('leaves nothing behind when it ends, in a session of its own or not', async () => {
    const command =
      'read -r < <(setsid bash -c "echo; exec sleep 87654 </dev/null >/dev/null 2>&1"); echo done'
    expect((await trial.inside(command)).output).toBe('done\n')
    expect(processesWith('sleep\u000087654')).toEqual([])
    await trial.outside(command)
    const left = processesWith('sleep\u000087654')
    expect(left).toHaveLength(1)
    for (const pid of left) process.kill(pid, 'SIGKILL')
  })

  it('ends when the call is cancelled', async () => {
    const controller = new AbortController()
    const { ended } = await trial.inside('trap "" TERM; echo on; sleep 76543 & wait; sleep 76543', {
      signal: controller.signal,
      onOutput: () => controller.abort(),
    })
    expect(ended).toBe('aborted')
    expect(processesWith('sleep\u000076543')).toEqual([])
  })
})

describeSandbox('what a command may use', () => {
  it.each([
    ['/dev/shm', 20],
    ['/tmp', 100],
    ['/home/user', 3],
  ])('is bounded in %s', async (folder, megabytes) => {
    const fill = (path: string) =>
      `dd if=/dev/zero of=${path}/assent-filled bs=1M count=${megabytes} 2>&1; wc -c < ${path}/assent-filled; rm ${path}/assent-filled`
    expect((await trial.inside(fill(folder))).output).toMatch(/No space left|File too large/)
    const place = folder === '/home/user' ? scratch.path : folder
    expect((await trial.outside(fill(place))).output).toContain(`\n${megabytes * 1_048_576}\n`)
  })

  it('is nothing of the folders that hold the view itself', async () => {
    const { output } = await trial.inside('for d in / /etc /home /dev; do echo x > $d/x; done')
    expect(output.match(/Read-only file system/g)).toHaveLength(4)
  })

  it.skipIf(isRoot && !canBeReadByOthers())('is a bounded number of processes', async () => {
    const bomb = 'for i in {1..400}; do sleep 3.1417 & done; wait; echo all'
    const user = await startPlainUser(scratch.path)
    try {
      const answer = await user.run(bomb, { timeoutMs: 1_500 })
      expect(answer).toMatchObject({
        ended: 'timeout',
        output: expect.stringContaining('Resource temporarily unavailable'),
      })
      // On a machine that is busy it may not grow to its bound within a second.
      await vi.waitFor(
        async () =>
          expect(await user.run(':(){ :|:& };:; wait', { timeoutMs: 1_000 })).toMatchObject({
            output: expect.stringContaining('Resource temporarily unavailable'),
          }),
        30_000,
      )
      expect(processesWith('sleep\u00003.1417')).toEqual([])
      // Whoever is bounded is bounded inside: the next command has all of it again.
      expect(await user.run('echo on')).toMatchObject({ output: 'on\n' })
    } finally {
      await user.end()
    }
    const few = bomb.replace('sleep 3.1417', 'sleep 0.1')
    expect((await trial.outside(few)).output).toBe('all\n')
  })

  it('is a bounded part of the memory', async () => {
    const hog = `${NODE_FOLDER}/node -p "Buffer.alloc(1_300_000_000).fill(1).length"`
    expect((await trial.inside(hog)).output).toMatch(/allocation failed/)
    expect((await trial.outside(hog)).output).toBe('1300000000\n')
  })
})

describeSandbox('the time of the processor', () => {
  const place = probeSandbox({ path: process.env['PATH'] ?? '', shellPath: '/bin/bash' })
  /** Runs a command of which each process may compute for a second. */
  async function run(command: string) {
    if (!isSandbox(place)) throw new TypeError('There is no sandbox.')
    const view: SandboxView = {
      roots: [{ path: scratch.path, access: 'read' }],
      readable: [],
      pinned: [],
      replaced: [],
      hasNetwork: false,
      limits: { ...SMALL_LIMITS, cpuSeconds: 1 },
    }
    let output = ''
    const result = await place.run({
      argv: ['/bin/bash', '-c', command],
      env: { PATH: '/usr/bin:/bin' },
      view,
      timeoutMs: 30_000,
      graceMs: 200,
      onOutput: (text) => void (output += text),
    })
    return { ...result, output }
  }

  it('is bounded for each process', async () => {
    expect(await run('while :; do :; done')).toMatchObject({ ended: 'exited', exitCode: 152 })
    expect(await run('(trap "" XCPU; while :; do :; done); echo $?')).toMatchObject({
      output: expect.stringContaining('137\n'),
    })
    expect((await trial.inside('ulimit -t')).output).toBe(`${SMALL_LIMITS.cpuSeconds}\n`)
    expect((await trial.inside('ulimit -t', { rights: ['write'] })).output).not.toBe(
      `${SMALL_LIMITS.cpuSeconds}\n`,
    )
  })

  it('is not what a command waits in', async () => {
    expect(await run('sleep 1.3; echo on')).toMatchObject({ exitCode: 0, output: 'on\n' })
  })

  it('is what the model is told of, when it is over', async () => {
    const { note } = await trial.inside('exit 152')
    expect(note).toMatch(/computed for 120 s/)
  })
})

describeSandbox('the right', () => {
  it('write lets it change files, but not secrets, settings and hooks of Git', async () => {
    git('init', '-q')
    rmSync(join(scratch.path, '.git/hooks'), { recursive: true })
    const settings = readFileSync(join(scratch.path, '.git/config'), 'utf8')
    const command = `echo x > a.txt; rm src/b.ts; cat .env; echo x > .env
git add a.txt && git -c user.name=A -c user.email=a@example.com commit -qm two && echo committed
git config user.name Evil; echo evil >> .git/config; mv .git gone && mkdir .git
mkdir .git/hooks && echo evil > .git/hooks/pre-commit; echo ../../evil > .git/commondir`
    const { output, note } = await trial.inside(command, { rights: ['write'] })
    expect(readFileSync(join(scratch.path, 'a.txt'), 'utf8')).toBe('x\n')
    expect(existsSync(join(scratch.path, 'src/b.ts'))).toBe(false)
    expect(output).not.toContain(SECRET)
    expect(output).toContain('committed')
    expect(readFileSync(join(scratch.path, '.env'), 'utf8')).toContain(SECRET)
    expect(readFileSync(join(scratch.path, '.git/config'), 'utf8')).toBe(settings)
    expect(existsSync(join(scratch.path, '.git/hooks'))).toBe(false)
    expect(existsSync(join(scratch.path, '.git/commondir'))).toBe(false)
    expect(note).toMatch(/Taken away/)
    expect((await trial.inside('git add -A . ; git status --short')).output).not.toBe('')
  })

  it.each([
    ['a link', (folder: string) => symlinkSync('kept', join(folder, '.git'))],
    ['a file', (folder: string) => writeFileSync(join(folder, '.git'), 'gitdir: kept\n')],
  ])('write keeps the settings of a repository that %s leads to', async (_, lead) => {
    git('init', '-q')
    renameSync(join(scratch.path, '.git'), join(scratch.path, 'kept'))
    lead(scratch.path)
    const settings = readFileSync(join(scratch.path, 'kept/config'), 'utf8')
    const command =
      'echo evil >> kept/config; echo evil > kept/hooks/pre-commit; mv kept x; echo x > kept/commondir; git add a.txt'
    await trial.inside(command, { rights: ['write'] })
    expect(readFileSync(join(scratch.path, 'kept/config'), 'utf8')).toBe(settings)
    expect(existsSync(join(scratch.path, 'kept/hooks/pre-commit'))).toBe(false)
    expect(existsSync(join(scratch.path, 'kept/commondir'))).toBe(false)
  })

  it.each([
    'touch x; chmod 6777 x',
    'cp a.txt x; chmod u+s x',
    'cp a.txt x; chmod g+s x',
    'mkdir x; chmod g+s x',
    'install -m 4755 a.txt x',
    `${NODE_FOLDER}/node -e 'require("fs").openSync("x", "w", 0o6755)'`,
  ])('write leaves nothing that makes whoever starts it another user: %s', async (command) => {
    const modeOf = () =>
      existsSync(join(scratch.path, 'x')) ? statSync(join(scratch.path, 'x')).mode : 0
    await trial.inside(command, { rights: ['write'] })
    expect(modeOf() & 0o6000).toBe(0)
    rmSync(join(scratch.path, 'x'), { recursive: true, force: true })
    await trial.outside(command)
    expect(modeOf() & 0o6000).not.toBe(0)
    rmSync(join(scratch.path, 'x'), { recursive: true })
    const usual = 'touch x; chmod 755 x; cp -p x y; mkdir -m 1777 z; tar cf t.tar x; tar xpf t.tar'
    expect((await trial.inside(usual, { rights: ['write'] })).exitCode).toBe(0)
    expect(modeOf() & 0o7777).toBe(0o755)
  })

  it('write renames no folder whose name tells of secrets', async () => {
    scratch.write({
      '.config/gcloud/x.txt': `${SECRET}\n`,
      '.config/plain.txt': 'plain\n',
      'app/.config/gh/x.txt': `${SECRET}\n`,
      'app/.env': `${SECRET}\n`,
    })
    const moves = [
      'mv .config settings',
      'mv .config/gcloud .config/cloud',
      'mv app/.config settings',
      'mv app apps',
      'mv .config/plain.txt plain.txt; mkdir .config/more',
    ]
    const codes: (number | null)[] = []
    for (const move of moves) {
      codes.push((await trial.inside(move, { rights: ['write'] })).exitCode)
    }
    expect(codes).toEqual([1, 1, 1, 0, 0])
    const { output } = await trial.inside('grep -r . . .config 2>/dev/null; ls apps')
    expect(output).toContain('plain')
    expect(output).not.toContain(SECRET)
  })

  it('write changes no repository whose settings are elsewhere', async () => {
    git('init', '-q')
    renameSync(join(scratch.path, '.git/config'), join(scratch.path, '.git/own'))
    symlinkSync('own', join(scratch.path, '.git/config'))
    const { output } = await trial.inside('echo x > a.txt; ln -sf ../evil .git/config; git add .', {
      rights: ['write'],
    })
    expect(output).toMatch(/Read-only file system/)
    expect(readlinkSync(join(scratch.path, '.git/config'))).toBe('own')
    expect(readFileSync(join(scratch.path, 'a.txt'), 'utf8')).toBe('x\n')
  })

  it('write takes nothing away that only looks like a part of a repository', async () => {
    scratch.write({ '.git': 'gitdir: src\n' })
    await trial.inside('mkdir src/hooks && echo x > src/hooks/use.ts', { rights: ['write'] })
    expect(existsSync(join(scratch.path, 'src/hooks/use.ts'))).toBe(true)
  })

  it('write keeps work trees where they are, and lets them be committed in', async () => {
    const main = createScratch()
    const run = (...args: string[]) => execFileSync('git', args, { cwd: main.path, stdio: 'pipe' })
    try {
      main.write({ 'a.txt': 'one\n' })
      run('init', '-q')
      run('config', 'user.email', 'a@example.com')
      run('config', 'user.name', 'A')
      run('add', 'a.txt')
      run('commit', '-qm', 'first')
      const tree = join(scratch.path, 'tree')
      run('worktree', 'add', '-q', tree)
      const own = join(main.path, '.git/worktrees/tree')
      const before = readFileSync(join(own, 'commondir'), 'utf8')
      const { output } = await shellTrial(tree).inside(
        `echo x > b.txt; git add b.txt; git commit -qm second && echo committed
echo ../evil > ${own}/commondir; rm -f ${own}/commondir ${own}/gitdir; echo x > ${own}/config.worktree`,
        { rights: ['write'] },
      )
      expect(output).toContain('committed')
      expect(readFileSync(join(own, 'commondir'), 'utf8')).toBe(before)
      expect(existsSync(join(own, 'gitdir'))).toBe(true)
      expect(existsSync(join(own, 'config.worktree'))).toBe(false)
    } finally {
      main.remove()
    }
  })

  it('write changes nothing that Git on this machine is led to by settings or pointers', async () => {
    scratch.write({
      'tools/hooks/pre-commit': '#!/bin/sh\n',
      '.husky/_/h': 'sh\n',
      '.husky/pre-commit': 'true\n',
      'team.gitconfig': '[include]\n\tpath = conf/more\n',
      'conf/more': '[alias]\n\tst = status\n',
      'later.gitconfig': '[alias]\n\tst = status\n',
      'scripts/clean.sh': 'cat\n',
    })
    git('init', '-q')
    git('add', 'a.txt')
    git('commit', '-qm', 'one')
    git('worktree', 'add', '-q', 'deep/wt')
    git('worktree', 'add', '-q', 'other')
    git('config', 'core.hooksPath', 'tools/hooks')
    execFileSync('git', [
      'config',
      '--file',
      join(scratch.path, 'conf/more'),
      'core.hooksPath',
      '.husky/_',
    ])
    git('config', 'include.path', '../team.gitconfig')
    git('config', 'includeIf.onbranch:nowhere.path', '../later.gitconfig')
    git('config', 'filter.x.clean', 'sh scripts/clean.sh %f')
    scratch.write({
      '.git/info/attributes': '*.md text\n',
      '.git/rebase-merge/git-rebase-todo': 'noop\n',
      '.git/rebase-apply/x': 'x\n',
      '.git/sequencer/todo': 'x\n',
      '.git/worktrees/other/rebase-merge/git-rebase-todo': 'noop\n',
    })
    const kept =
      `deep/wt/.git other/.git tools/hooks/pre-commit .husky/_/h .husky/pre-commit team.gitconfig conf/more
later.gitconfig scripts/clean.sh .git/info/attributes .git/rebase-merge/git-rebase-todo .git/rebase-apply/x
.git/sequencer/todo .git/worktrees/other/rebase-merge/git-rebase-todo`.split(/\s/)
    const texts = () => kept.map((path) => readFileSync(join(scratch.path, path), 'utf8'))
    const before = texts()
    const spoil = kept.map(
      (path) =>
        `mkdir -p ${dirname(path)}; echo evil >> ${path}; rm -f ${path}; echo evil > ${path}`,
    )
    const move = ['deep', 'tools', '.husky', 'conf', 'scripts', 'other', '.git/info'].map(
      (path) => `mv ${path} ${path}-gone && mkdir ${path}`,
    )
    const make = `mkdir -p tools/hooks deep/wt; echo evil > tools/hooks/post-commit; echo x > .git/objects/info/alternates
echo on > a.txt; echo on > scripts/new.sh; echo on > deep/wt/b.txt`
    const command = [...move, ...spoil, make].join('\n')
    await trial.inside(command, { rights: ['write'] })
    expect(texts()).toEqual(before)
    expect(existsSync(join(scratch.path, 'tools/hooks/post-commit'))).toBe(false)
    expect(existsSync(join(scratch.path, '.git/objects/info/alternates'))).toBe(false)
    for (const path of ['a.txt', 'scripts/new.sh', 'deep/wt/b.txt']) {
      expect(readFileSync(join(scratch.path, path), 'utf8')).toBe('on\n')
    }
    await trial.inside('echo on > .husky/pre-commit', { rights: ['write', 'git-settings'] })
    expect(readFileSync(join(scratch.path, '.husky/pre-commit'), 'utf8')).toBe('on\n')
    await trial.outside(command)
    expect(texts().filter((text, index) => text === before[index])).toEqual([])
  })

  it('write brings no hooks and no settings into being that settings name already', async () => {
    git('init', '-q')
    git('config', 'core.hooksPath', '.later')
    git('config', 'include.path', '../later.gitconfig')
    const command = 'mkdir .later; echo evil > .later/pre-commit; echo "[a]" > later.gitconfig'
    const { note } = await trial.inside(command, { rights: ['write'] })
    expect(note).toMatch(/Taken away.*later/)
    expect(existsSync(join(scratch.path, '.later'))).toBe(false)
    expect(existsSync(join(scratch.path, 'later.gitconfig'))).toBe(false)
  })

  it('write leaves nothing that Git follows, also when the server is killed', async () => {
    git('init', '-q')
    const made = join(scratch.path, '.git/commondir')
    const helper = join(import.meta.dirname, '../../../test/plain-user-trial.ts')
    const server = spawn(process.execPath, ['--conditions=@assent/source', helper, scratch.path], {
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    const command = 'echo ../evil > .git/commondir; sleep 60'
    const text = Buffer.from(JSON.stringify({ command, rights: ['write'] })).toString('base64')
    server.stdin.write(`${text}\n`)
    await vi.waitFor(() => expect(existsSync(made)).toBe(true), { timeout: 30_000, interval: 20 })
    server.kill('SIGKILL')
    await once(server, 'exit')
    expect(existsSync(made)).toBe(true)
    const restarted = shellTrial(scratch.path)
    expect(existsSync(made)).toBe(false)
    const { note } = await restarted.inside('git status')
    expect(note).toMatch(
      /Taken away.*commondir \(now .*\), left by a command whose server was killed/,
    )
    expect((await restarted.inside('echo on')).note).toBeUndefined()
  })

  it('write lets it work with Git: add, commit, checkout, stash, rebase, gc', async () => {
    git('init', '-q')
    git('config', 'user.name', 'A')
    git('config', 'user.email', 'a@example.com')
    const command = `set -e
git add a.txt; git commit -qm one; git checkout -qb side; echo x > a.txt; git commit -qam two
git checkout -q -; echo y > c.txt; git add c.txt; git stash -q; git stash pop -q; git commit -qm three
git rebase -q side; git tag t; git gc -q 2>/dev/null; git cherry-pick --allow-empty -x HEAD >/dev/null 2>&1 || git cherry-pick --abort
git status --short -uno; echo all`
    expect((await trial.inside(command, { rights: ['write'] })).output).toBe('all\n')
  })

  it('credentials lets it ask the agent of SSH, and nobody else by a socket', async () => {
    const socket = join(scratch.path, 'agent.sock')
    let asked = 0
    const agent = createServer((one) => void ((asked += 1), one.end())).listen(socket)
    await once(agent, 'listening')
    const before = process.env['SSH_AUTH_SOCK']
    process.env['SSH_AUTH_SOCK'] = socket
    try {
      const ask = `ssh -V 2>/dev/null; ${NODE_FOLDER}/node -e 'require("net").connect(process.env.SSH_AUTH_SOCK).on("error", (e) => console.log(e.code)).on("connect", () => console.log("IN"))'`
      const other = createScratch()
      const own = shellTrial(other.path)
      expect((await own.inside(ask, { rights: ['credentials'] })).output).toBe('IN\n')
      await own.inside(ask.replace('process.env.SSH_AUTH_SOCK', JSON.stringify(socket)), {
        rights: ['network'],
      })
      expect(asked).toBe(1)
      other.remove()
    } finally {
      if (before === undefined) delete process.env['SSH_AUTH_SOCK']
      else process.env['SSH_AUTH_SOCK'] = before
      agent.close()
    }
  })

  it('write lets it commit', async () => {
    git('init', '-q')
    git('config', 'user.name', 'A')
    git('config', 'user.email', 'a@example.com')
    const { exitCode } = await trial.inside('git add a.txt && git commit -qm one', {
      rights: ['write'],
    })
    expect(exitCode).toBe(0)
    expect(String(git('log', '--oneline'))).toMatch(/one\n$/)
  })

  it('write reaches no folder that may only be read', async () => {
    const other = createScratch()
    try {
      other.write({ 'o.txt': 'other\n' })
      const both = shellTrial(scratch.path, {
        roots: [
          { path: scratch.path, access: 'write' },
          { path: other.path, access: 'read' },
        ],
      })
      const { output } = await both.inside(`cat ${other.path}/o.txt; rm ${other.path}/o.txt`, {
        rights: ['write'],
      })
      expect(output).toMatch(/^other\n.*Read-only file system/s)
    } finally {
      other.remove()
    }
  })

  it('git-settings lets it change those alone', async () => {
    git('init', '-q')
    const command = 'git config user.name Ada; echo x > .git/hooks/pre-push; echo x > a.txt'
    await trial.inside(command, { rights: ['git-settings'] })
    expect(String(git('config', 'user.name'))).toBe('A\n')
    expect(readFileSync(join(scratch.path, '.git/config'), 'utf8')).toContain('name = Ada')
    expect(existsSync(join(scratch.path, '.git/hooks/pre-push'))).toBe(true)
    expect(readFileSync(join(scratch.path, 'a.txt'), 'utf8')).toBe('one\n')
  })

  it('credentials shows those that the command names by their paths, and nothing else', async () => {
    const named = await trial.inside('cat .env .ssh/id_rsa src/.env.loc*', {
      rights: ['credentials'],
    })
    expect(named.output).toContain(`TOKEN=${SECRET}\n${SECRET}\n${HIDDEN_TEXT}`)
    const rights = ['credentials'] as const
    for (const command of ['cat src/.e*', 'cat nope/.env; cat src/.e*', 'cat .e* # .env']) {
      expect((await trial.inside(command, { rights })).output).not.toContain(SECRET)
    }
    expect((await trial.inside('echo x > .env', { rights: ['credentials'] })).exitCode).not.toBe(0)
  })
})

describeSandbox('a right that a command lacks', () => {
  it.each([
    ['touch x', 'write'],
    ["node -e \"fs.writeFileSync('x', '')\"", 'write'],
    ['exec 3<>/dev/tcp/example.com/80', 'network'],
    ['git ls-remote https://example.com/x.git', 'network'],
    ['cat .env', 'credentials'],
    ['git config user.name x', 'git-settings'],
    ['git branch -m x', 'write'],
  ])('is named to the model: %s', async (command, right) => {
    git('init', '-q')
    const { note } = await trial.inside(command)
    expect(note).toContain(`call again with rights: ["${right}"]`)
  })

  it('is not made up', async () => {
    scratch.write({ 'log.txt': 'Read-only file system\nNetwork is unreachable\n' })
    expect((await trial.inside('cat log.txt')).note).toBeUndefined()
    expect((await trial.inside('ls; false')).note).toBeUndefined()
  })
})

describeSandbox('a sandbox that cannot be set up', () => {
  it('runs nothing, shows nothing, and says so', async () => {
    const broken = shellTrial(scratch.path, { programFolders: ['/opt/sdk-gone'] })
    const seen: string[] = []
    const run = broken.inside('echo it ran', { onOutput: (text) => seen.push(text) })
    await expect(run).rejects.toMatchObject({
      code: 'sandbox_failed',
      message: expect.stringMatching(/did not run: bwrap: .*sdk-gone/),
    })
    expect(seen).toEqual([])
  })

  it('is no command that prints what bwrap prints', async () => {
    const { output, exitCode } = await trial.inside(`echo "bwrap: Can't" >&2; exit 1`)
    expect([output, exitCode]).toEqual([`bwrap: Can't\n`, 1])
  })
})
