import { collectOutput, runChild, type ChildOptions } from './child.ts'

/** How many things were checked, and with what result. */
export interface Tally {
  passed: number
  failed: number
  /** What passed only when it was tried again, by name; it counts among the others. */
  retried?: readonly string[]
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
    printHeading(step)
    const result = await timed(step)
    results.push(result)
    if (!isStopped()) console.log(`\n${describe(result)}`)
  }
  return results
}

/**
 * Runs several rows of steps beside each other: one that mostly waits, for a browser say, costs the
 * others little. What a step says is shown when it has ended.
 */
export async function runBeside(
  rows: readonly (readonly Step[])[],
  isStopped: () => boolean = () => false,
): Promise<StepResult[]> {
  const results = rows.map(async (steps) => {
    const ofRow: StepResult[] = []
    for (const step of steps) {
      if (isStopped()) break
      const { result, output } = await collectOutput(() => timed(step))
      ofRow.push(result)
      printHeading(step)
      process.stdout.write(output)
      if (!isStopped()) console.log(`\n${describe(result)}`)
    }
    return ofRow
  })
  return (await Promise.all(results)).flat()
}

function printHeading({ name }: Step): void {
  console.log(`\n── ${name} ${'─'.repeat(Math.max(0, 76 - name.length))}\n`)
}

async function timed(step: Step): Promise<StepResult> {
  const start = performance.now()
  const tally = await settle(step)
  return { name: step.name, duration: performance.now() - start, ...tally }
}

async function settle(step: Step): Promise<Tally> {
  try {
    return await step.run()
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return { passed: 0, failed: 1 }
  }
}

/**
 * Prints what each step came to, how long all took, and what had to be tried again; the last line of all
 * is `N passed, N failed`.
 */
export function printSummary(results: readonly StepResult[], milliseconds: number): Tally {
  const total = { passed: 0, failed: 0 }
  console.log(`\n── Summary ${'─'.repeat(69)}\n`)
  for (const result of results) {
    total.passed += result.passed
    total.failed += result.failed
    console.log(describe(result))
  }
  console.log(`\n${(milliseconds / 1000).toFixed(1)} s in all\n`)
  const retried = results.flatMap((result) => result.retried ?? [])
  if (retried.length > 0) {
    console.log(['Passed only when tried again:', ...retried].join('\n  '), '\n')
  }
  console.log(`${total.passed} passed, ${total.failed} failed`)
  return total
}

function describe({ name, passed, failed, duration }: StepResult): string {
  const mark = failed === 0 ? '✓' : '✗'
  const figures = passed + failed === 1 ? '' : `  ${passed} passed, ${failed} failed`
  return `${mark} ${name}${figures}  (${(duration / 1000).toFixed(1)} s)`
}
