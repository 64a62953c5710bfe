import { killChildren, stopChildren } from './child.ts'
import { printSummary, runSteps, type Step } from './run-steps.ts'

const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const

/**
 * Runs steps, prints what they came to, and sets the exit code of the process: 0 only when nothing
 * failed. A signal stops what runs and there is no result; a second one does not wait.
 */
export async function runToTheEnd(steps: readonly Step[]): Promise<void> {
  let stoppedBy: number | undefined
  const stop = (number: number): void => {
    if (stoppedBy === undefined) stopChildren()
    else killChildren()
    stoppedBy = number
  }
  for (const [signal, number] of Object.entries(SIGNALS)) process.on(signal, () => stop(number))
  process.on('exit', killChildren)

  const results = await runSteps(steps, () => stoppedBy !== undefined)
  if (stoppedBy !== undefined) {
    console.error('\nStopped before the end.')
    process.exitCode = 128 + stoppedBy
    return
  }
  process.exitCode = printSummary(results).failed === 0 ? 0 : 1
}
