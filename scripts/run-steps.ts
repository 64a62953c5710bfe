import { runChild, type ChildOptions } from './child.ts'

/** How many things were checked, and with what result. */
export interface Tally {
  passed: number
  failed: number
}

/** One part of a run. */
export interface Step {
  name: string
  /** What it came to; what it throws is shown and counts as one failure. */
  run: () => Promise<Tally>
}

export interface StepResult extends Tally {
  name: string
  /** Milliseconds. */
  duration: number
}

/** A step that counts as one check: it passes when the program ends with 0. */
export function checkStep(
  name: string,
  command: string,
  args: readonly string[],
  options?: ChildOptions,
): Step {
  return { name, run: async () => tallyOf((await runChild(command, args, options)) === 0) }
}

export function tallyOf(ok: boolean): Tally {
  return ok ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }
}

/** Runs steps one after the other, also after one that failed, each under its own heading. */
export async function runSteps(
  steps: readonly Step[],
  isStopped: () => boolean = () => false,
): Promise<StepResult[]> {
  const results: StepResult[] = []
  for (const step of steps) {
    if (isStopped()) break
    console.log(`\n── ${step.name} ${'─'.repeat(Math.max(0, 76 - step.name.length))}\n`)
    const start = performance.now()
    const tally = await settle(step)
    const result = { name: step.name, duration: performance.now() - start, ...tally }
    results.push(result)
    if (!isStopped()) console.log(`\n${describe(result)}`)
  }
  return results
}

async function settle(step: Step): Promise<Tally> {
  try {
    return await step.run()
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return { passed: 0, failed: 1 }
  }
}

/** Prints what each step came to; the last line of all is `N passed, N failed`. */
export function printSummary(results: readonly StepResult[]): Tally {
  const total = { passed: 0, failed: 0 }
  console.log(`\n── Summary ${'─'.repeat(69)}\n`)
  for (const result of results) {
    total.passed += result.passed
    total.failed += result.failed
    console.log(describe(result))
  }
  const seconds = results.reduce((sum, result) => sum + result.duration, 0) / 1000
  console.log(`\n${seconds.toFixed(1)} s in all\n`)
  console.log(`${total.passed} passed, ${total.failed} failed`)
  return total
}

function describe({ name, passed, failed, duration }: StepResult): string {
  const mark = failed === 0 ? '✓' : '✗'
  const figures = passed + failed === 1 ? '' : `  ${passed} passed, ${failed} failed`
  return `${mark} ${name}${figures}  (${(duration / 1000).toFixed(1)} s)`
}
