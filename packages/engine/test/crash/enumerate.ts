import { pointsOf } from './crash-points.ts'
import type { Play, Played } from './crash-play.ts'
import type { CrashPoint } from './life.ts'
import type { TurnScript } from './turn-script.ts'

/** How much is played. */
export interface Range {
  /** Whether one of many plays is among those that are played; called with their number so far. */
  takes(kind: Kind, count: number): boolean
  readonly people: readonly Pick<Play, 'isQuick' | 'isFickle' | 'writeMs'>[]
}

export type Kind = 'once' | 'twice' | 'failing'

/** How many plays of each kind there were. */
export type Counts = Record<Kind, number>

/** What a play of a turn is to be like. */
type Course = Pick<Play, 'points'> & Partial<Play>

/**
 * Plays a turn to every point at which a crash can fall, from there to every point of what follows,
 * and with every write failing, some times in a row: as far as the range goes.
 */
export async function enumerate(
  turn: TurnScript,
  { takes, people }: Range,
  play: (play: Play) => Promise<Played>,
  counts: Counts,
): Promise<void> {
  const considered: Counts = { once: 0, twice: 0, failing: 0 }
  for (const person of people) {
    const go = (course: Course) => play({ turn, ...person, ...course })
    const [life] = (await go({ points: [] })).lives
    if (!life) continue
    for (const point of pointsOf(life)) {
      const played = await taken('once', go, { points: [point] })
      const [, second] = played?.lives ?? []
      if (!second) continue
      for (const next of pointsOf(second)) await taken('twice', go, { points: [point, next] })
    }
    for (let nth = 1; nth <= life.counts.write; nth++) {
      for (const times of [1, 3]) {
        await taken('failing', go, { points: [], failing: { nth, times, isWritten: true } })
        const failing = { nth, times, isWritten: false }
        await taken('failing', go, { points: [], failing })
        if (!turn.isDurable) continue
        // Only then a store that fails makes no tool run twice.
        for (const point of crashesFrom(nth + times, life.counts.effect)) {
          await taken('failing', go, { points: [point], failing })
        }
      }
    }
  }

  async function taken(
    kind: Kind,
    go: (course: Course) => Promise<Played>,
    course: Course,
  ): Promise<Played | undefined> {
    if (!takes(kind, considered[kind]++)) return undefined
    counts[kind]++
    return go(course)
  }
}

/** Crashes after the writes that failed, and around every effect. */
function crashesFrom(write: number, effects: number): CrashPoint[] {
  const writes = [0, 1, 2].flatMap((more): CrashPoint[] => [
    { at: 'write', nth: write + more, when: 'before' },
    { at: 'write', nth: write + more, when: 'late' },
    { at: 'write', nth: write + more, when: 'after' },
  ])
  const after = Array.from({ length: effects }, (_, index): CrashPoint[] => [
    { at: 'effect', nth: index + 1, when: 'before' },
    { at: 'effect', nth: index + 1, when: 'after' },
  ])
  return [...writes, ...after.flat()]
}
