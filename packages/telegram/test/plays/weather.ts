import type { Weather } from '../fake-bot-api.ts'
import type { Spell } from './plan.ts'

/** Bad weather over a Bot API, and what it did. */
export interface PlayedWeather {
  readonly meet: Weather
  begin(spell: Spell): void
  isModelDown(): boolean
  /** No spell lasts any more. */
  isOver(): boolean
  /** How many calls each spell has met. */
  readonly counts: ReadonlyMap<Spell, number>
}

const SECONDS: Readonly<Record<Spell, number>> = {
  'outage of 1 s': 1,
  'outage of 60 s': 60,
  'outage of 600 s': 600,
  'half bodies': 40,
  'half bodies, then cut': 20,
  'cut after the effect': 15,
  '401': 8,
  '404': 8,
  '5xx': 20,
  '429 storm': 30,
  'model down': 60,
}

/** @param now of Telegram's clock, in milliseconds */
export function playWeather(now: () => number, random: () => number): PlayedWeather {
  const until = new Map<Spell, number>()
  const counts = new Map<Spell, number>()
  const lasts = (spell: Spell): boolean => (until.get(spell) ?? 0) > now()
  const count = (spell: Spell): void => void counts.set(spell, (counts.get(spell) ?? 0) + 1)

  function metBy(spell: Spell, method: string): ReturnType<Weather> {
    switch (spell) {
      case 'outage of 1 s':
      case 'outage of 60 s':
      case 'outage of 600 s':
        return 'cut-before'
      case 'half bodies':
        return random() < 0.5 ? 'half-body' : undefined
      case 'half bodies, then cut':
        return random() < 0.6 ? 'half-body-cut' : undefined
      case 'cut after the effect':
        return random() < 0.6 ? 'cut-after' : undefined
      case '401':
        return 401
      case '404':
        return 404
      case '5xx':
        return random() < 0.7 ? 502 : undefined
      case '429 storm':
        return method !== 'getUpdates' && random() < 0.5 ? 429 : undefined
      case 'model down':
        return undefined
    }
  }

  return {
    meet({ method }) {
      for (const spell of until.keys()) {
        const by = lasts(spell) ? metBy(spell, method) : undefined
        if (by === undefined) continue
        count(spell)
        return by
      }
      return undefined
    },
    begin: (spell) => void until.set(spell, now() + SECONDS[spell] * 1_000),
    isModelDown() {
      if (!lasts('model down')) return false
      count('model down')
      return true
    },
    isOver: () => ![...until.keys()].some(lasts),
    counts,
  }
}
