import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ROOT } from './child.ts'

// They start programs of their own, on a machine that may be busy.
vi.setConfig({ testTimeout: 60_000 })

let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'assent-launch-'))
  write('package.json', '{ "engines": { "node": ">=20.19" } }')
  mkdirSync(join(root, 'scripts'))
  cpSync(join(ROOT, 'scripts/launch.mjs'), join(root, 'scripts/launch.mjs'))
  mkdirSync(join(root, 'node_modules/node/bin'), { recursive: true })
  symlinkSync(process.execPath, join(root, 'node_modules/node/bin/node'))
  installer('echo "npx $*"')
})

afterEach(() => rmSync(root, { recursive: true }))

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), text)
}

/** What stands for `npx`, the way to the network: a shell script. */
function installer(script: string): void {
  write('bin/npx', `#!/bin/sh\n${script}\n`)
  chmodSync(join(root, 'bin/npx'), 0o755)
}

interface Launched {
  child: ChildProcess
  /** All that was printed so far. */
  printed: () => string
  /** Resolves when something was printed. */
  says: (text: string) => Promise<void>
  /** Resolves to the exit code when nothing that was started holds the output open any more. */
  ended: Promise<number | null>
}

function launch(
  args: string[],
  nodeOptions: string[] = [],
  path = `${root}/bin:/usr/bin:/bin`,
): Launched {
  const launcher = join(root, 'scripts/launch.mjs')
  const child = spawn(process.execPath, [...nodeOptions, launcher, ...args], {
    env: { PATH: path },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  const waiting = new Map<string, () => void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      for (const [wanted, resolve] of waiting) if (text.includes(wanted)) resolve()
    })
  }
  return {
    child,
    printed: () => text,
    says: (wanted) => new Promise((resolve) => void waiting.set(wanted, resolve)),
    ended: once(child, 'close').then(([code]) => code),
  }
}

it('installs, then runs the program with its arguments and passes its exit code on', async () => {
  write('program.mjs', `console.log('ran', process.argv.slice(2).join(' ')); process.exitCode = 3`)
  const { ended, printed } = launch(['program.mjs', 'one', '--two'])
  expect(await ended).toBe(3)
  expect(printed()).toMatch(/^npx -y pnpm@[\d.]+ install --prod=false\nran one --two\n$/)
})

it('runs the program with the Node of the workspace first on the PATH', async () => {
  write('program.mjs', `console.log(process.argv0, process.env.PATH.split(':')[0])`)
  const { ended, printed } = launch(['program.mjs'])
  expect(await ended).toBe(0)
  expect(printed()).toContain(`${root}/node_modules/node/bin/node ${root}/node_modules/.bin`)
})

it('says that the network is missing when the package manager cannot be fetched', async () => {
  installer('echo "npm error code ENOTFOUND" >&2; exit 1')
  write('program.mjs', `console.log('ran')`)
  const { ended, printed } = launch(['program.mjs'])
  expect(await ended).toBe(1)
  expect(printed()).toContain('The first run needs the network.')
  expect(printed()).not.toContain('ran')
})

it('says that the installation failed when the package manager itself is there', async () => {
  installer('case "$*" in *--version) exit 0;; *) echo "disk full" >&2; exit 1;; esac')
  const { ended, printed } = launch(['program.mjs'])
  expect(await ended).toBe(1)
  expect(printed()).toMatch(/disk full[^]+install` failed/)
})

it('says that npm is missing', async () => {
  const { ended, printed } = launch(['program.mjs'], [], '/nowhere')
  expect(await ended).toBe(1)
  expect(printed()).toContain('Assent needs npm')
})

it.each(['18.20.4', '20.18.3'])('says that Node %s is too old', async (version) => {
  const pretend = `Object.defineProperty(process, 'versions', { value: { node: '${version}' } })`
  const { ended, printed } = launch(['x'], ['--import', `data:text/javascript,${pretend}`])
  expect(await ended).toBe(1)
  expect(printed()).toContain(`Assent needs Node 20.19 or newer`)
  expect(printed()).toContain(`This is Node ${version}`)
  expect(printed()).not.toContain('npx')
})

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('stops the program on %s', async (signal, code) => {
  write(
    'program.mjs',
    `process.on('${signal}', () => { console.log('closing'); process.exit(0) })
     setInterval(() => {}, 1000)
     console.log('ready')`,
  )
  const launched = launch(['program.mjs'])
  await launched.says('ready')
  launched.child.kill(signal)
  expect(await launched.ended).toBe(code)
  expect(launched.printed()).toContain('closing')
})

it('leaves nothing behind when it is stopped during the installation', async () => {
  installer('sh -c "trap : TERM; echo installing; while :; do sleep 1; done" & wait')
  write('program.mjs', `console.log('ran')`)
  const launched = launch(['program.mjs'])
  await launched.says('installing')
  launched.child.kill('SIGTERM')
  expect(await launched.ended).toBe(143)
  expect(launched.printed()).not.toContain('ran')
})

it('stops the program when what launched it is gone', async () => {
  write(
    'program.mjs',
    `process.on('SIGTERM', () => { console.log('closing'); process.exit(0) })
     setInterval(() => {}, 1000)
     console.log('ready')`,
  )
  write(
    'parent.mjs',
    `import { spawn } from 'node:child_process'
     spawn(process.execPath, ['${join(root, 'scripts/launch.mjs')}', 'program.mjs'], { stdio: 'inherit' })`,
  )
  const launched = launch([], [join(root, 'parent.mjs')])
  await launched.says('ready')
  launched.child.kill('SIGKILL')
  await launched.ended
  expect(launched.printed()).toContain('closing')
})
