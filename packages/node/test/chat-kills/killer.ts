import type { Moment, World } from '../kills/world.ts'
import { plannedSteps, readPrompt } from './plans.ts'
import type { Servers } from './servers.ts'

/** The moments to kill at, one after the other; `any` is one that nobody has chosen. */
const MOMENTS: readonly (Moment | 'any')[] = [
  'before-effect',
  'after-effect',
  'any',
  'asked',
  'any',
  'after-effect',
  'answering',
  'any',
]

/** Where kills fell: before an effect, between one and its result, after that. */
export type Stage = 'before' | 'during' | 'after'

/** Kills the servers of a world, each time at the next moment of the list. */
export interface Killer {
  readonly kills: number
  readonly fell: Readonly<Record<Stage, number>>
  /** Resolves when the last kill that was decided on has been done. */
  landed(): Promise<void>
}

export interface KillerOptions {
  readonly world: World
  readonly servers: Servers
  readonly mostKills: number
  readonly dice: (sides: number) => number
}

export function createKiller({ world, servers, mostKills, dice }: KillerOptions): Killer {
  const fell = { before: 0, during: 0, after: 0 }
  /** Effects whose results the model was not told yet, with the server that did them. */
  const open = new Map<string, string>()
  let kills = 0
  let toPass = 2
  let taken: string | undefined
  let landed = Promise.resolve()

  function kill(stage: Stage): void {
    fell[stage] += 1
    servers.kill()
  }

  function stageOf(moment: Moment, sent: string): Stage {
    if (moment === 'before-effect') return 'before'
    if (moment === 'after-effect') return 'during'
    return readPrompt(JSON.parse(sent)).fates.size > 0 ? 'after' : 'before'
  }

  /** Of a moment that nobody has chosen: an effect that is under way counts most. */
  function stageNow(name: string, last: Stage): Stage {
    return [...open.values()].includes(name) ? 'during' : last
  }

  world.onMoment = (moment, name, sent) => {
    const stage = stageOf(moment, sent)
    if (moment === 'before-effect') open.set(sent, name)
    if (moment === 'asked') {
      const { message } = readPrompt(JSON.parse(sent))
      for (const { key } of plannedSteps(message).flat()) open.delete(key)
    }
    const wanted = MOMENTS[kills % MOMENTS.length]
    if (taken === name || name !== servers.name || kills >= mostKills) return
    if ((wanted !== 'any' && wanted !== moment) || toPass-- > 0) return
    toPass = dice(4)
    taken = name
    kills += 1
    if (wanted === 'any') {
      const last = stage === 'before' ? 'before' : 'after'
      const delayMs = dice(25)
      landed = new Promise<void>((resolve) => void setTimeout(resolve, delayMs)).then(() =>
        kill(stageNow(name, last)),
      )
    } else kill(stage)
  }

  return {
    fell,
    landed: () => landed,
    get kills() {
      return kills
    },
  }
}
