import type { Watch as RuleWatch } from '../rules/watch.ts'
import type { Tally as RuleTally } from '../rules/tally.ts'

/** What must hold in every play, numbered as the promises in `ARCHITECTURE.md`. */
export const INVARIANTS = [
  'I1 a call runs at most once',
  'I1 an approval is sent again only when a person retries',
  'I1 what was cut off is interrupted, and says so',
  'I2 what runs is what was decided',
  'I2 a decision is bound to its call and input',
  'I2 what was let run does run, and what is to be asked is asked',
  'I2 rules are asked about the input that is to run',
  'I2 what was changed after a yes is asked about again',
  'I3 the first decision on a call counts',
  'I3 the identical decision again changes nothing',
  'I3 a conflicting decision is refused',
  'I3 a decision that cannot be made is refused',
  'I3 of several decisions all count, or none',
  'I3 an answer or a cancellation is the result',
  'I4 every call in a request has its one result, in order',
  'I5 a denied call never runs',
  'I5 a denied call never runs after a restart',
  'I6 a deny of a rule beats a yes and a policy',
  'I6 rules are asked again after a person was',
  'I6 no policy beats a failed check',
  'I6 only the exact input covers what destroys',
  'I7 what was revoked covers nothing that has not started',
  'I7 what was suspended covers nothing that has not started',
  'I7 to stop everything suspends what stands',
  'I7 what has expired covers nothing that has not started',
  'I7 what is void, used up or meant elsewhere covers nothing',
  'I7 a revocation asks again at once',
  'I8 an automatic yes names its policy and the click behind it',
  'I8 an always says what it settles',
  'I8 policies are those of the history',
  'I10 a turn makes no more requests than it may',
  'I10 the play comes to rest',
  'I12 only who has the conversation acts',
] as const

/** What must hold as well where the conversation is kept in a store. */
export const STORED_INVARIANTS = [
  ...INVARIANTS,
  'I1 what took effect is not asked about again',
  'I9 a message that was stored is there',
  'I9 a result that was stored is there',
  'I9 a decision that was stored is there',
  'I9 a decision that was acknowledged is there',
  'I9 a call that waited still waits',
  'I9 a pause that is shown is stored',
] as const

export type Invariant = (typeof STORED_INVARIANTS)[number]

/** How often each invariant had a say. */
export type Tally = RuleTally<Invariant>

/** Holds a play to the invariants. */
export type Watch = RuleWatch<Invariant>
