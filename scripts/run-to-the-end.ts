import { killChildren, stopChildren } from './child.ts'
import { printSummary, runBeside, runSteps, type Step } from './run-steps.ts'

const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const

/**
 * Runs steps, or several rows of them beside each other, prints what they came to, and sets the exit
 * code of the process: 0 only when something was checked and nothing failed. A signal stops what runs
 * and there is no result; a second one does not wait.
 */
export async function runToTheEnd(...rows: readonly (readonly Step[])[]): Promise<void> {
  const start = performance.now()
  let stoppedBy: number | undefined
  const stop = (number: number): void => {
    if (stoppedBy === undefined) stopChildren()
    else killChildren()
    stoppedBy = number
  }
  for (const [signal, number] of Object.entries(SIGNALS)) process.on(signal, () => stop(number))
  process.on('exit', killChildren)

  const isStopped = () => stoppedBy !== undefined
  const [only = [], ...others] = rows
  const results = await (others.length > 0 ? runBeside(rows, isStopped) : runSteps(only, isStopped))
  if (stoppedBy !== undefined) {
    console.error('\nStopped before the end.')
    process.exitCode = 128 + stoppedBy
    return
  }
  const { passed, failed } = printSummary(results, performance.now() - start)
  process.exitCode = passed > 0 && failed === 0 ? 0 : 1
}
