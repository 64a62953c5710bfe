import { writeFileSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'
import { z } from 'zod'

/** Names the file that the report of a run is written to. */
export const REPORT = 'ASSENT_REPORT'

/** What a step is told of its run: each file, and each of its tests. */
export const StepReport = z.array(
  z.object({
    file: z.string(),
    state: z.string(),
    tests: z.array(
      z.object({
        name: z.string(),
        state: z.string(),
        retries: z.number(),
        /** Why it failed, the first time; its beginning. */
        error: z.string().optional(),
      }),
    ),
  }),
)

/** Writes the report of a run when it has ended. Vitest's own as JSON tells nothing of retries. */
export default class StepReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const path = process.env[REPORT]
    if (path === undefined) throw new Error(`${REPORT} names no file for the report.`)
    const report: z.input<typeof StepReport> = modules.map((module) => ({
      file: module.relativeModuleId,
      state: module.state(),
      tests: [...module.children.allTests()].map((test) => ({
        name: test.fullName,
        state: test.result().state,
        retries: test.diagnostic()?.retryCount ?? 0,
        error: test.result().errors?.[0]?.message?.slice(0, 1_000),
      })),
    }))
    writeFileSync(path, JSON.stringify(report))
  }
}
