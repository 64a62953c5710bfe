import { array, constant, constantFrom, integer, oneof, record, type Arbitrary } from 'fast-check'
import type { CrashPoint } from '../crash/life.ts'
import { SEND, settings, step, type Plan, type PlayStep } from './plan.ts'

const nth = integer({ min: 1, max: 4 })

const point: Arbitrary<CrashPoint> = oneof(
  {
    weight: 6,
    arbitrary: record({
      at: constant('write' as const),
      nth,
      when: constantFrom('before' as const, 'after' as const, 'late' as const, 'power' as const),
    }),
  },
  {
    weight: 4,
    arbitrary: record({
      at: constantFrom('effect' as const, 'effect' as const, 'request' as const),
      nth: constantFrom(1, 1, 2),
      when: constantFrom('before' as const, 'after' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: record({ at: constant('chunk' as const), nth, when: constant('before' as const) }),
  },
)

const reload: Arbitrary<PlayStep> = record({
  move: record({
    do: constant('reload' as const),
    as: constantFrom('same' as const, 'same' as const, 'another schema' as const),
    isTwice: constantFrom(false, false, true),
  }),
  after: constantFrom(0, 0, 1, 2, 5, 9),
})

/** Everything that is random about a play whose conversation is kept in a store. */
export const storedPlans: Arbitrary<Plan> = record({
  ...settings,
  store: constantFrom('prompt' as const, 'slow' as const, 'lazy' as const),
  steps: array(
    oneof(
      { weight: 9, arbitrary: step },
      { weight: 1, arbitrary: reload },
      { weight: 2, arbitrary: record({ crash: point }) },
      { weight: 1, arbitrary: constant(SEND) },
    ),
    { minLength: 10, maxLength: 32, size: 'max' },
  ).map((steps): PlayStep[] => [SEND, ...steps]),
})
