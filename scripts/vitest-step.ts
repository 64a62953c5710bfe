import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { ROOT, runChild } from './child.ts'
import type { Step, Tally } from './run-steps.ts'

const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs')

/** What is needed of the report that Vitest's JSON reporter writes. */
const Report = z.object({
  testResults: z.array(
    z.object({
      status: z.string(),
      assertionResults: z.array(z.object({ status: z.string() })),
    }),
  ),
})

export interface VitestOptions {
  /** Vitest projects to run. Default: all. */
  projects?: readonly string[]
  /** Test files to run. Default: all of the projects. */
  files?: readonly string[]
  /** Test files to leave out. */
  exclude?: readonly string[]
  env?: Readonly<Record<string, string>>
  /** A part of the files, such as `1/2`. Default: all. */
  shard?: string
  /** Milliseconds that one test may take. Default: as configured. */
  testTimeout?: number
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
          '--reporter=json',
          `--outputFile.json=${report}`,
          ...(options.exclude ?? []).map((file) => `--exclude=${file}`),
          ...(options.shard === undefined ? [] : [`--shard=${options.shard}`]),
          ...(options.testTimeout === undefined ? [] : [`--testTimeout=${options.testTimeout}`]),
          ...(options.files ?? []),
        ]
        const exitCode = await runChild(process.execPath, args, { env: options.env ?? {} })
        return countTests(readReport(report), exitCode)
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
 * @param report what Vitest's JSON reporter wrote; `undefined` when it wrote nothing
 */
export function countTests(report: unknown, exitCode: number): Tally {
  const parsed = Report.safeParse(report)
  if (!parsed.success) return { passed: 0, failed: 1 }
  const tally = { passed: 0, failed: 0 }
  for (const file of parsed.data.testResults) {
    const failed = file.assertionResults.filter(({ status }) => status === 'failed').length
    tally.passed += file.assertionResults.filter(({ status }) => status === 'passed').length
    tally.failed += failed === 0 && file.status === 'failed' ? 1 : failed
  }
  if (tally.failed === 0 && (exitCode !== 0 || tally.passed === 0)) tally.failed = 1
  return tally
}
