import type { NodeProcess } from '../../node-process.ts'
import type { Moment, World } from './world.ts'

const MOMENTS: readonly Moment[] = [
  'after-effect',
  'after-reply',
  'answering',
  'before-effect',
  'asked',
]

/** Kills workers of a world, each at the next moment of its list, after some that it lets pass. */
export interface Killer {
  /** How often it killed, by what was under way. */
  readonly killed: ReadonlyMap<string, number>
  readonly count: number
}

export interface KillerOptions {
  readonly world: World
  /** The workers that are there, by name. */
  readonly workers: ReadonlyMap<string, NodeProcess>
  readonly most: number
  /** From 0 to below 1. */
  readonly random: () => number
  /** Told of each kill, so that another worker can be started. */
  readonly onKilled: (name: string) => void
}

export function createKiller(options: KillerOptions): Killer {
  const { world, workers, most, random, onKilled } = options
  const killed = new Map<string, number>()
  let count = 0
  let toPass = 2

  world.onMoment = (moment, name) => {
    const worker = workers.get(name)
    if (!worker || count >= most) return
    // Every sixth one at no moment of its own: any time until another one comes.
    const wanted = MOMENTS[count % (MOMENTS.length + 1)]
    if (wanted !== undefined && wanted !== moment) return
    if (toPass-- > 0) return
    toPass = Math.floor(random() * 4)
    count += 1
    killed.set(wanted ?? 'any', (killed.get(wanted ?? 'any') ?? 0) + 1)
    const kill = () => {
      worker.kill()
      onKilled(name)
    }
    if (wanted === undefined) setTimeout(kill, random() * 60)
    else kill()
  }

  return {
    killed,
    get count() {
      return count
    },
  }
}
