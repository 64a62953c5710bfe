import type { Watch as RuleWatch } from '../rules/watch.ts'
import type { Tally as RuleTally } from '../rules/tally.ts'

/** What must hold wherever a crash falls, numbered as the promises in `ARCHITECTURE.md`. */
export const INVARIANTS = [
  'I1 no call takes effect twice',
  'I1 what took effect is not asked about again',
  'I2 what takes effect was allowed, with this very input',
  'I3 another decision on what was decided is refused',
  'I4 every request carries a valid history',
  'I4 the AI SDK accepts the history',
  'I5 nothing that was denied takes effect',
  'I7 nothing takes effect by what was revoked',
  'I9 a decision that was acknowledged is not asked for again',
  'I9 a message that was stored is there',
  'I9 a pause that is shown is stored',
  'I9 the disk says what the engine says',
  'nothing takes effect after an abort that was acknowledged',
  'an approval is sent again only when a person retries',
  'the model is told the truth about every call',
  'it ends at rest with an answer to everything',
  'what is reported was to be expected',
] as const

export type Invariant = (typeof INVARIANTS)[number]

/** How often each invariant had a say. */
export type Tally = RuleTally<Invariant>

/** Holds a play to the invariants. */
export type Watch = RuleWatch<Invariant>
