import { expect, it } from 'vitest'
import { countTests } from './vitest-step.ts'

const file = (status: string, ...tests: string[]): object => ({
  status,
  assertionResults: tests.map((test) => ({ status: test })),
})

it('counts every test of every file, skipped ones in neither number', () => {
  const testResults = [
    file('passed', 'passed', 'passed', 'skipped', 'todo'),
    file('failed', 'failed', 'passed', 'failed'),
  ]
  expect(countTests({ testResults }, 1)).toEqual({ passed: 3, failed: 2 })
})

it('counts a file that could not be loaded as one failure', () => {
  const testResults = [file('failed'), file('passed', 'passed')]
  expect(countTests({ testResults }, 1)).toEqual({ passed: 1, failed: 1 })
})

it('counts a run that ended badly without a failed test as one failure', () => {
  const testResults = [file('passed', 'passed')]
  expect(countTests({ testResults }, 1)).toEqual({ passed: 1, failed: 1 })
})

it.each([[{ testResults: [] }], [{ testResults: [file('passed', 'skipped')] }], [undefined]])(
  'counts a run of no test as one failure: %j',
  (report) => {
    expect(countTests(report, 0)).toEqual({ passed: 0, failed: 1 })
  },
)
