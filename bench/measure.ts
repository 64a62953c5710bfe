/** One way to do the work that a race compares. */
export interface Contestant {
  readonly name: string
  /** How many units (chunks, deltas …) one run handles. */
  readonly units: number
  /** Makes the input of one run, outside the measured time; returns the run itself. */
  prepare(): () => void | Promise<void>
}

export interface RaceOptions {
  /** Samples of each contestant before those that count. Default 2. */
  warmups?: number
  /** Samples of each contestant that count. Default 7. */
  repetitions?: number
}

/** A sample is of so many µs at least: some systems count CPU time in steps of 4 ms. */
const SAMPLE_MICROSECONDS = 100_000

/**
 * Median cost per unit of each contestant, in µs of CPU time of this thread, by name.
 *
 * The samples are interleaved, with a full garbage collection before each run, so that what happens
 * on the machine meanwhile hits all contestants alike. CPU time leaves out what others take.
 */
export async function race(
  contestants: readonly Contestant[],
  options: RaceOptions = {},
): Promise<Map<string, number>> {
  const { warmups = 2, repetitions = 7 } = options
  const samples = new Map<string, number[]>(contestants.map(({ name }) => [name, []]))
  for (let round = 0; round < warmups + repetitions; round += 1) {
    for (const contestant of contestants) {
      const cost = await sample(contestant)
      if (round >= warmups) samples.get(contestant.name)?.push(cost)
    }
  }
  return new Map([...samples].map(([name, values]) => [name, median(values)]))
}

async function sample({ units, prepare }: Contestant): Promise<number> {
  let spent = 0
  let handled = 0
  while (spent < SAMPLE_MICROSECONDS) {
    const run = prepare()
    collectGarbage()
    const start = cpuMicroseconds()
    const pending = run()
    if (pending) await pending
    spent += cpuMicroseconds() - start
    handled += units
  }
  return spent / handled
}

/** The middle of the sorted values; of two middles their mean. `NaN` of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

function cpuMicroseconds(): number {
  const { user, system } = process.threadCpuUsage()
  return user + system
}

function collectGarbage(): void {
  if (!globalThis.gc) throw new Error('Run the benchmarks with `node --expose-gc`.')
  globalThis.gc()
}
