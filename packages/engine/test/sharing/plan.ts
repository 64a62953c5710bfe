import { array, boolean, constantFrom, nat, oneof, record, type Arbitrary } from 'fast-check'

/** What a person does in one of the open tabs; `tab` and `which` count round. */
export type Move = { readonly tab: number } & (
  | { readonly do: 'send'; readonly calls: number }
  | { readonly do: 'decide'; readonly which: number; readonly outcome: 'yes' | 'no' }
  | { readonly do: 'abort' | 'remove' | 'kill' | 'leave' | 'open' }
)

/** A move, and how much happens before the next. */
export interface Step {
  readonly move: Move
  readonly events: number
  readonly ms: number
}

export interface Plan {
  readonly steps: readonly Step[]
  readonly tabs: number
  readonly gate: 'step' | 'call'
  /** Whether messages of a tab that dies are lost on their way, in turn. */
  readonly losses: readonly boolean[]
}

/** The most tabs that are open at a time. */
export const MOST_TABS = 3

const tab = nat(MOST_TABS - 1)
const send = record({ tab, do: constantFrom('send' as const), calls: nat(3) })
const decide = record({
  tab,
  do: constantFrom('decide' as const),
  which: nat(3),
  outcome: constantFrom('yes' as const, 'yes' as const, 'no' as const),
})
const life = record({ tab, do: constantFrom('kill' as const, 'leave' as const, 'open' as const) })
const death = record({ tab, do: constantFrom('kill' as const) })
const other = record({ tab, do: constantFrom('abort' as const, 'remove' as const) })

const move: Arbitrary<Move> = oneof(
  { arbitrary: send, weight: 4 },
  { arbitrary: decide, weight: 8 },
  { arbitrary: life, weight: 2 },
  { arbitrary: death, weight: 1 },
  { arbitrary: other, weight: 1 },
)

export const plans: Arbitrary<Plan> = record({
  steps: array(
    record({
      move,
      events: oneof(nat(3), nat(40)),
      ms: constantFrom(0, 0, 0, 16, 500),
    }),
    { minLength: 3, maxLength: 24 },
  ),
  tabs: constantFrom(2, 2, 3),
  gate: constantFrom('step' as const, 'call' as const),
  losses: array(boolean(), { minLength: 1, maxLength: 8 }),
})
