import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ROOT } from './child.ts'

// They start programs of their own, on a machine that may be busy.
vi.setConfig({ testTimeout: 60_000 })

let dir: string

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'assent-steps-'))
})

afterEach(() => rmSync(dir, { recursive: true }))

/** Starts a run of steps; `steps` is the text of a list. */
function start(steps: string): ReturnType<typeof spawn> {
  const file = join(dir, 'run.ts')
  writeFileSync(
    file,
    `import { checkStep } from '${ROOT}/scripts/run-steps.ts'
     import { runToTheEnd } from '${ROOT}/scripts/run-to-the-end.ts'
     const node = (name, code) => checkStep(name, process.execPath, ['-e', code])
     await runToTheEnd([${steps}])`,
  )
  return spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'pipe'] })
}

interface Ended {
  code: number | null
  output: string
}

/** Waits until nothing that was started holds the output open any more. */
async function end(child: ReturnType<typeof spawn>, onReady = (): void => {}): Promise<Ended> {
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
      if (chunk.includes('ready')) onReady()
    })
  }
  const [code] = await once(child, 'close')
  return { code, output }
}

it('goes on after a failure and ends with the sum of all steps', async () => {
  const { code, output } = await end(
    start(`
      node('first', ''),
      node('second', 'process.exit(2)'),
      { name: 'third', run: async () => { throw new Error('no Chromium here') } },
      { name: 'fourth', run: async () => ({ passed: 40, failed: 3, retried: ['a.test.ts > is late'] }) },
      checkStep('fifth', 'no-such-program', []),
      node('sixth', 'console.log("ran to the end")'),
    `),
  )
  expect(code).toBe(1)
  expect(output).toContain('no Chromium here')
  expect(output).toContain('ran to the end')
  expect(output.endsWith('\n42 passed, 6 failed\n')).toBe(true)
  expect(output).toContain('Passed only when tried again:\n  a.test.ts > is late')
  expect(output.match(/^── \w+/gm)).toEqual(
    ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'Summary'].map((name) => `── ${name}`),
  )
  expect(output).toMatch(/✓ first {2}\(\d+\.\d s\)/)
  expect(output).toMatch(/✗ fourth {2}40 passed, 3 failed {2}\(/)
})

it('runs rows of steps beside each other, and shows in one piece what each said', async () => {
  // Each waits for the other to have begun, so that neither could end alone.
  const says = (name: string, other: string) => `
    const { existsSync, watch, writeFileSync } = require('node:fs')
    console.log('${name} begins')
    writeFileSync('${dir}/${name}', '')
    const watcher = watch('${dir}', look)
    function look() {
      if (!existsSync('${dir}/${other}')) return
      console.error('${name} ends')
      process.exit()
    }
    look()`
  const step = (name: string, other: string) =>
    `node('${name}', ${JSON.stringify(says(name, other))})`
  const { code, output } = await end(
    start(`${step('left', 'right')}], [${step('right', 'left')}, node('last', 'process.exit(1)')`),
  )
  expect(code).toBe(1)
  for (const name of ['left', 'right']) {
    expect(output).toMatch(
      new RegExp(`── ${name} ─+\\s+${name} begins\\s+${name} ends\\s+✓ ${name}`),
    )
  }
  expect(output.endsWith('\n2 passed, 1 failed\n')).toBe(true)
})

it('ends with 0 when nothing failed', async () => {
  const { code, output } = await end(start(`node('only', '')`))
  expect(code).toBe(0)
  expect(output.endsWith('\n1 passed, 0 failed\n')).toBe(true)
})

it('ends with 1 when nothing was checked', async () => {
  const { code, output } = await end(start(''))
  expect(code).toBe(1)
  expect(output.endsWith('\n0 passed, 0 failed\n')).toBe(true)
})

/** A step that starts a program, which gets the output too, and waits for it. */
function startsAnother(code: string): string {
  const outer = `const { spawn } = require('node:child_process')
    spawn(process.execPath, ['-e', ${JSON.stringify(code)}], { stdio: 'inherit' })`
  return `node('long', ${JSON.stringify(outer)}), node('later', 'console.log("began")')`
}

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)(
  'stops all that runs on %s, lets it clean up, and begins nothing new',
  async (signal, exitCode) => {
    const tidy = `process.on('SIGTERM', () => setTimeout(() => { console.log('tidied'); process.exit() }, 50))
    setInterval(() => {}, 1000)
    console.log('ready')`
    const child = start(startsAnother(tidy))
    const { code, output } = await end(child, () => child.kill(signal))
    expect(code).toBe(exitCode)
    expect(output).toContain('tidied')
    expect(output).toContain('Stopped before the end.')
    expect(output).not.toContain('began')
    expect(output).not.toContain('passed')
  },
)

it('kills what does not stop', async () => {
  const stubborn = `process.on('SIGTERM', () => console.log('no'))
    setInterval(() => {}, 1000)
    console.log('ready')`
  const child = start(startsAnother(stubborn))
  const { code, output } = await end(child, () => child.kill('SIGTERM'))
  expect(code).toBe(143)
  expect(output).toContain('no')
})

it('kills what a step has left behind', async () => {
  const left = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); process.send('up')`
  const outer = `const { spawn } = require('node:child_process')
    const child = spawn(process.execPath, ['-e', ${JSON.stringify(left)}], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    child.once('message', () => process.exit(0))`
  const { code } = await end(start(`node('leaves', ${JSON.stringify(outer)})`))
  expect(code).toBe(0)
})
