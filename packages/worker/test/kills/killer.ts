import type { NodeProcess } from '../../../node/test/node-process.ts'
import type { Moment, World } from '../../../node/test/kills/world.ts'

/** What is done to a worker, at which moment; `any` is one that nobody has chosen. */
const DEEDS: readonly (readonly ['kill' | 'stall', Moment | 'any'])[] = [
  ['kill', 'after-effect'],
  ['stall', 'before-effect'],
  ['kill', 'after-reply'],
  ['kill', 'answering'],
  ['kill', 'before-effect'],
  ['kill', 'asked'],
  ['stall', 'after-reply'],
  ['kill', 'any'],
]

/** Kills workers of a world, and lets some stand still, each at the next moment of the list. */
export interface Killer {
  /** What it did, and how often. */
  readonly done: ReadonlyMap<string, number>
  readonly kills: number
  /** Resolves when those that stood still have gone on. */
  awake(): Promise<void>
}

export interface KillerOptions {
  readonly world: World
  /** The workers that are there, by name. */
  readonly workers: ReadonlyMap<string, NodeProcess>
  readonly mostKills: number
  /** Longer than a lease: when a worker goes on, others have its tasks. */
  readonly stallMs: number
  /** Told of each kill, so that another worker can be started. */
  readonly onKilled: (name: string) => void
}

export function createKiller(options: KillerOptions): Killer {
  const { world, workers, mostKills, stallMs, onKilled } = options
  const done = new Map<string, number>()
  const stalls = new Set<Promise<void>>()
  /** Workers that something was done to, or is about to be: one thing at a time. */
  const taken = new Set<string>()
  let deeds = 0
  let kills = 0
  let toPass = 2

  function kill(name: string, worker: NodeProcess): void {
    worker.kill()
    onKilled(name)
  }

  function stall(name: string, { pid }: NodeProcess): void {
    process.kill(pid, 'SIGSTOP')
    const awake = Promise.withResolvers<void>()
    stalls.add(awake.promise)
    setTimeout(() => {
      process.kill(pid, 'SIGCONT')
      taken.delete(name)
      awake.resolve()
    }, stallMs)
  }

  world.onMoment = (moment, name) => {
    const worker = workers.get(name)
    const deed = DEEDS[deeds % DEEDS.length]
    if (!worker || !deed || taken.has(name) || kills >= mostKills) return
    const [what, wanted] = deed
    if ((wanted !== 'any' && wanted !== moment) || toPass-- > 0) return
    toPass = Math.floor(Math.random() * 4)
    deeds += 1
    done.set(deed.join(' '), (done.get(deed.join(' ')) ?? 0) + 1)
    taken.add(name)
    if (what === 'stall') return stall(name, worker)
    kills += 1
    if (wanted === 'any') setTimeout(() => kill(name, worker), Math.random() * 60)
    else kill(name, worker)
  }

  return {
    done,
    get kills() {
      return kills
    },
    async awake() {
      await Promise.all(stalls)
    },
  }
}
