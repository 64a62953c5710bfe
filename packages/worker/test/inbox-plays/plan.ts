import { array, constant, constantFrom, nat, oneof, record, type Arbitrary } from 'fast-check'

const change = constantFrom(
  ...(['heartbeat', 'progress', 'park', 'park', 'complete', 'fail', 'bury', 'release'] as const),
)
const task = nat(7)
const ms = constantFrom(0, 0, 1, 300, 1_000)

const step = oneof(
  {
    weight: 5,
    arbitrary: record({
      do: constant('add' as const),
      conversation: constantFrom('one', 'two', 'three'),
      task,
      attempts: constantFrom(1, 2, 3),
      in: ms,
    }),
  },
  {
    weight: 8,
    arbitrary: record({
      do: constant('claim' as const),
      worker: constantFrom('v', 'w'),
      isIdle: constantFrom(true, true, false),
    }),
  },
  {
    weight: 9,
    // `back`: by the claim that was made so many before the last one.
    arbitrary: record({
      do: constant('change' as const),
      change,
      back: constantFrom(0, 0, 1, 2, 4),
      in: ms,
    }),
  },
  { weight: 3, arbitrary: record({ do: constant('answer' as const), task, answer: nat(99) }) },
  {
    weight: 4,
    arbitrary: record({ do: constant('wait' as const), ms: constantFrom(1, 400, 999, 1_000) }),
  },
  {
    weight: 2,
    arbitrary: record({ do: constantFrom('replay' as const, 'discard' as const), task }),
  },
)

/** What happens, and which of two processes does it. */
export const plans = array(record({ step, isOther: constantFrom(false, true) }), {
  minLength: 20,
  maxLength: 60,
  size: 'max',
})

type Made<ARBITRARY> = ARBITRARY extends Arbitrary<infer VALUE> ? VALUE : never

export type Plan = Made<typeof plans>
export type Step = Made<typeof step>
