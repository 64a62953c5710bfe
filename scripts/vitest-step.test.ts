import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { collectOutput, ROOT } from './child.ts'
import type { Tally } from './run-steps.ts'
import { countTests, LEAVE_OUT, VITEST, vitestStep, type VitestOptions } from './vitest-step.ts'

const file = (state: string, ...tests: string[]): object => ({
  file: 'a.test.ts',
  state,
  tests: tests.map((test, index) => ({ name: `test ${index}`, state: test, retries: 0 })),
})

it('counts every test of every file, skipped ones in neither number', () => {
  const report = [
    file('passed', 'passed', 'passed', 'skipped', 'pending'),
    file('failed', 'failed', 'passed', 'failed'),
  ]
  expect(countTests(report, 1)).toEqual({ passed: 3, failed: 2 })
})

it('counts a file that could not be loaded as one failure', () => {
  expect(countTests([file('failed'), file('passed', 'passed')], 1)).toEqual({
    passed: 1,
    failed: 1,
  })
})

it('counts a run that ended badly without a failed test as one failure', () => {
  expect(countTests([file('passed', 'passed')], 1)).toEqual({ passed: 1, failed: 1 })
})

it.each([[[]], [[file('passed', 'skipped')]], [undefined]])(
  'counts a run of no test as one failure: %j',
  (report) => {
    expect(countTests(report, 0)).toEqual({ passed: 0, failed: 1 })
  },
)

describe('a test that passes only when it is tried again', () => {
  const CONFIG = `export default { test: { retry: 1, include: ['*.spec.js'] } }`
  const SPEC = `import { expect, it } from 'vitest'
    let tries = 0
    it('is late now and then', () => expect(++tries).toBe(2))
    it('is in time', () => expect(tries).toBe(2))`

  /** Runs these tests in a project of their own, within the workspace, which has Vitest. */
  async function play(options: VitestOptions): Promise<Tally> {
    const dir = mkdtempSync(join(ROOT, 'node_modules/.assent-step-'))
    try {
      writeFileSync(join(dir, 'vitest.config.js'), CONFIG)
      writeFileSync(join(dir, 'late.spec.js'), SPEC)
      const { result } = await collectOutput(vitestStep('late', { ...options, root: dir }).run)
      return result
    } finally {
      rmSync(dir, { recursive: true })
    }
  }

  const why = 'expected 1 to be 2 // Object.is equality'
  const retried = [`late.spec.js > is late now and then: ${why}`]

  it('has passed, and is named', async () => {
    expect(await play({})).toEqual({ passed: 2, failed: 0, retried })
  })

  it('has failed where none may be tried again', async () => {
    expect(await play({ noRetries: true })).toEqual({ passed: 1, failed: 1, retried })
  })
})

it('leaves files out of every project that has them', () => {
  const list = (leftOut: string): string[] =>
    execFileSync(process.execPath, [VITEST, 'list', '--filesOnly'], {
      cwd: ROOT,
      env: { ...process.env, [LEAVE_OUT]: leftOut },
      encoding: 'utf8',
    })
      .trim()
      .split('\n')
      .sort()
  // One of each project, as `[project] file`.
  const all = list('')
  const oneOfEach = [...Map.groupBy(all, (line) => line.split(' ')[0]).values()].map(
    ([first = '']) => first,
  )
  expect(oneOfEach).toHaveLength(7)
  const left = list(oneOfEach.map((line) => line.split(' ').at(-1)).join(','))
  expect(left).toEqual(all.filter((line) => !oneOfEach.includes(line)))
})
