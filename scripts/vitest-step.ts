import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT, runChild } from './child.ts'
import type { Step, Tally } from './run-steps.ts'
import { REPORT, StepReport } from './step-reporter.ts'

/** Names the files that a run leaves out; the configuration reads it, since `--exclude` reaches only some projects. */
export const LEAVE_OUT = 'ASSENT_LEAVE_OUT'

export const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs')
const REPORTER = join(import.meta.dirname, 'step-reporter.ts')

export interface VitestOptions {
  /** Where the configuration is. Default: the root of the workspace. */
  root?: string
  /** Vitest projects to run. Default: all. */
  projects?: readonly string[]
  /** Test files to run. Default: all of the projects. */
  files?: readonly string[]
  /** Test files to leave out, as globs. */
  exclude?: readonly string[]
  env?: Readonly<Record<string, string>>
  /** The program of another Node. Default: this one. */
  node?: string
  /** Milliseconds that one test may take. Default: as configured. */
  testTimeout?: number
  /** How many files at a time. Default: one less than there are cores. */
  workers?: number
  /** A test that passes only when it is tried again has failed. Default: it is named at the end. */
  noRetries?: boolean
}

/** A step that runs tests and counts each of them. */
export function vitestStep(name: string, options: VitestOptions): Step {
  return {
    name,
    run: async () => {
      const dir = mkdtempSync(join(tmpdir(), 'assent-tests-'))
      const report = join(dir, 'report.json')
      try {
        const args = [
          VITEST,
          'run',
          ...(options.projects ?? []).map((project) => `--project=${project}`),
          '--reporter=default',
          `--reporter=${REPORTER}`,
          ...(options.workers === undefined ? [] : [`--maxWorkers=${options.workers}`]),
          ...(options.testTimeout === undefined ? [] : [`--testTimeout=${options.testTimeout}`]),
          ...(options.files ?? []),
        ]
        const exitCode = await runChild(options.node ?? process.execPath, args, {
          cwd: options.root ?? ROOT,
          env: {
            ...options.env,
            [LEAVE_OUT]: (options.exclude ?? []).join(','),
            [REPORT]: report,
          },
        })
        const tally = countTests(readReport(report), exitCode)
        return options.noRetries === true ? failRetried(tally) : tally
      } finally {
        rmSync(dir, { recursive: true, force: true })
      }
    },
  }
}

function readReport(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

/**
 * Counts the tests of a run. A file that could not be loaded, a run that ended badly without a
 * failed test (an unhandled rejection) and one that ran no test at all count as one failure.
 *
 * @param report what {@link REPORT} was written; `undefined` when there is none
 */
export function countTests(report: unknown, exitCode: number): Tally {
  const parsed = StepReport.safeParse(report)
  if (!parsed.success) return { passed: 0, failed: 1 }
  const tally = { passed: 0, failed: 0 }
  const retried: string[] = []
  for (const { file, state, tests } of parsed.data) {
    const passed = tests.filter((test) => test.state === 'passed')
    const failed = tests.filter((test) => test.state === 'failed').length
    tally.passed += passed.length
    tally.failed += failed === 0 && state === 'failed' ? 1 : failed
    for (const { name, retries, error } of passed) {
      if (retries > 0) retried.push([`${file} > ${name}`, error].filter(Boolean).join(': '))
    }
  }
  if (tally.failed === 0 && (exitCode !== 0 || tally.passed === 0)) tally.failed = 1
  return retried.length === 0 ? tally : { ...tally, retried }
}

/** What passed only when it was tried again has failed. */
function failRetried(tally: Tally): Tally {
  const { length = 0 } = tally.retried ?? []
  return { ...tally, passed: tally.passed - length, failed: tally.failed + length }
}
