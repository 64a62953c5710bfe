/** How a call can be met while a spell of bad weather lasts. */
export const SPELLS = [
  'outage of 1 s',
  'outage of 60 s',
  'outage of 600 s',
  'half bodies',
  'half bodies, then cut',
  'cut after the effect',
  '401',
  '404',
  '5xx',
  '429 storm',
  'model down',
] as const
export type Spell = (typeof SPELLS)[number]

/** What happens beside the weather. */
export const EVENTS = [
  'conflict',
  'duplicates',
  'reordering',
  'group moves, told',
  'group moves, not told',
  'topic deleted',
] as const
export type PlayEvent = (typeof EVENTS)[number]

/** Where a process is killed: right after an effect or a write, in the middle of a call to Telegram, or at any time. */
export const KILLS = [
  'after an effect',
  'updates stored',
  'sendMessage',
  'editMessageText',
  'getUpdates',
  'any time',
] as const
export type Kill = (typeof KILLS)[number]

/** Where people write. */
export type Place = 'ada' | 'ben' | 'group' | 'topic'

/** What somebody says; `ask` needs a decision, `effect` does not, `say` calls no tool. */
export interface Said {
  readonly kind: 'say' | 'effect' | 'ask'
  readonly place: Place
  readonly decision: 'Approve' | 'Deny' | 'both'
}

/**
 * One thing of a play. A spell begins at once, or when the bot has next stored what it was told.
 * Times are milliseconds of Telegram's clock since the step before.
 */
export type Step = { readonly afterMs: number } & (
  | { readonly do: 'say'; readonly said: Said }
  | { readonly do: 'spell'; readonly spell: Spell; readonly isAtNews: boolean }
  | { readonly do: 'event'; readonly event: PlayEvent }
  | { readonly do: 'kill'; readonly kill: Kill }
)

/** Everything random about a play. */
export interface Plan {
  readonly seed: number
  readonly steps: readonly Step[]
}

/** Numbers from 0 to below 1, the same for the same seed. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

type Trouble = (afterMs: number, isAtNews: boolean) => Step

const TROUBLES: readonly Trouble[] = [
  ...SPELLS.map((spell): Trouble => (afterMs, isAtNews) => ({
    afterMs,
    do: 'spell',
    spell,
    isAtNews,
  })),
  ...EVENTS.map((event): Trouble => (afterMs) => ({ afterMs, do: 'event', event })),
  ...KILLS.map((kill): Trouble => (afterMs) => ({ afterMs, do: 'kill', kill })),
]
/** How much there is of it in a play. */
const TROUBLED = 8
/** Has no factor in common with their number, so that all come, and not those of a kind after each other. */
const STRIDE = 7

/** Draws a play; the same for the same seed. */
export function drawPlan(seed: number): Plan {
  const random = randomOf(seed)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const say = (): Step => ({
    afterMs: Math.floor(random() * 8_000),
    do: 'say',
    said: {
      kind: pick(['say', 'effect', 'effect', 'ask']),
      place: pick(['ada', 'ada', 'ben', 'group', 'topic']),
      decision: pick(['Approve', 'Approve', 'Deny', 'both']),
    },
  })
  const trouble = (at: number): Step => {
    const afterMs = Math.floor(random() * 4_000)
    // Some plays in a row have all of it.
    const make = TROUBLES[((seed * TROUBLED + at) * STRIDE) % TROUBLES.length]
    return make ? make(afterMs, random() < 0.5) : say()
  }
  const steps: Step[] = [say(), say()]
  for (let at = 0; at < TROUBLED; at++)
    steps.push(trouble(at), say(), ...(random() < 0.5 ? [say()] : []))
  return { seed, steps }
}
