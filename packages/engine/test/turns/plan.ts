import {
  array,
  boolean,
  constant,
  constantFrom,
  integer,
  nat,
  oneof,
  record,
  subarray,
  tuple,
  type Arbitrary,
} from 'fast-check'

/** A call that the model makes, and what comes of it. */
export interface CallPlan {
  /** `inline`: run by the server in the very stream; `nowhere`: no tool has its name. */
  readonly where: 'here' | 'server' | 'provider' | 'inline' | 'nowhere'
  /** What the rules say when they are asked first; `fail` throws. */
  readonly rule: 'none' | 'allow' | 'ask' | 'deny' | 'fail'
  /** What they say when they are asked again before the start. */
  readonly again: 'same' | 'deny' | 'fail'
  readonly isRuleSlow: boolean
  readonly does: 'return' | 'fail' | 'throw' | 'ignore-abort' | 'stream' | 'return-no-json' | 'hang'
  readonly isInvalid: boolean
  readonly isInputStreamed: boolean
}

/** How a request is answered. */
export interface AnswerPlan {
  readonly calls: readonly CallPlan[]
  /** From which of the few call ids on they are named; providers reuse them. */
  readonly firstId: number
  readonly hasText: boolean
  readonly failure: 'none' | 'status' | 'network' | 'cut' | 'error' | 'abort' | 'no-finish'
  /** At which chunk a stream fails. */
  readonly failAt: number
  readonly namesMessage: boolean
}

/** Something that a person, or the app, does. */
export type Action =
  | { do: 'send' | 'abort' | 'stopAll' | 'retry' | 'regenerate' | 'next' | 'advance' | 'append' }
  | {
      do: 'edit' | 'removeQueued' | 'sendQueued' | 'editQueued' | 'moveQueued' | 'holdQueued'
      which: number
    }
  | { do: 'wait'; ms: number }
  | { do: 'decide'; which: number; outcomes: readonly ('yes' | 'no')[] }

/** One step of a play: lets things happen, or does something. */
export type PlayStep =
  | { release: number }
  /** After so many microtasks of what happens at the same time; or in the next publication. */
  | { action: Action; after: number | 'publication' }

export const HOOKS = [
  'onTurnStart',
  'onTurnResume',
  'onBeforeRequest',
  'onAfterRequest',
  'onSettle',
  'onTurnPause',
  'onTurnEnd',
  'onTurnAbort',
  'onError',
  'onFinally',
] as const

export type Hook = (typeof HOOKS)[number]

export interface Plan {
  readonly gate: 'step' | 'call'
  readonly concurrency: number
  readonly maxSteps: number
  readonly whenBusy: 'queue' | 'reject' | 'deny'
  /** Who asks a person. */
  readonly asksBy: 'toolApproval' | 'shouldPauseToolCall'
  readonly timeoutMs: number
  /** The provider goes on after an abort. */
  readonly ignoresAbort: boolean
  /** Every change is published by itself; else frames come as the scheduler has them. */
  readonly publishesAtOnce: boolean
  /** Tools are given messages, which take their time to be made. */
  readonly makesMessages: boolean
  readonly slowHooks: readonly Hook[]
  readonly failingHook: { readonly hook: Hook; readonly count: number } | null
  readonly answers: readonly AnswerPlan[]
  readonly steps: readonly PlayStep[]
}

const sometimes = (weight: number): Arbitrary<boolean> =>
  oneof({ weight, arbitrary: constant(false) }, { weight: 1, arbitrary: constant(true) })

const mostly = <T>(usual: T, ...others: T[]): Arbitrary<T> =>
  oneof(
    { weight: 5, arbitrary: constant(usual) },
    { weight: 4, arbitrary: constantFrom(...others) },
  )

const call: Arbitrary<CallPlan> = record({
  where: mostly<CallPlan['where']>('here', 'server', 'provider', 'provider', 'inline', 'nowhere'),
  rule: mostly<CallPlan['rule']>('ask', 'ask', 'none', 'none', 'allow', 'deny', 'fail'),
  again: mostly<CallPlan['again']>('same', 'same', 'deny', 'fail'),
  isRuleSlow: sometimes(2),
  does: mostly<CallPlan['does']>(
    'return',
    'fail',
    'throw',
    'ignore-abort',
    'ignore-abort',
    'stream',
    'return-no-json',
    'hang',
  ),
  isInvalid: sometimes(9),
  isInputStreamed: boolean(),
})

const answer: Arbitrary<AnswerPlan> = record({
  calls: oneof(
    { weight: 3, arbitrary: array(call, { minLength: 1, maxLength: 3, size: 'max' }) },
    { weight: 1, arbitrary: constant([]) },
  ),
  firstId: nat({ max: 2 }),
  hasText: boolean(),
  failure: oneof(
    { weight: 8, arbitrary: constant('none' as const) },
    {
      weight: 1,
      arbitrary: constantFrom(
        'status' as const,
        'network' as const,
        'cut' as const,
        'error' as const,
        'abort' as const,
        'no-finish' as const,
      ),
    },
  ),
  failAt: nat({ max: 16 }),
  namesMessage: boolean(),
})

const which = nat({ max: 9 })
const outcome = constantFrom('yes' as const, 'yes' as const, 'no' as const)

const action: Arbitrary<Action> = oneof(
  { weight: 4, arbitrary: record({ do: constant('send' as const) }) },
  {
    weight: 8,
    arbitrary: record({
      do: constant('decide' as const),
      which,
      outcomes: array(outcome, { minLength: 1, maxLength: 2 }),
    }),
  },
  { weight: 2, arbitrary: record({ do: constant('abort' as const) }) },
  { weight: 1, arbitrary: record({ do: constant('stopAll' as const) }) },
  { weight: 2, arbitrary: record({ do: constant('retry' as const) }) },
  { weight: 1, arbitrary: record({ do: constant('regenerate' as const) }) },
  { weight: 1, arbitrary: record({ do: constantFrom('next', 'advance', 'append') }) },
  {
    weight: 2,
    arbitrary: record({
      do: constantFrom(
        'edit',
        'removeQueued',
        'sendQueued',
        'editQueued',
        'moveQueued',
        'holdQueued',
      ),
      which,
    }),
  },
  {
    weight: 3,
    arbitrary: record({ do: constant('wait' as const), ms: constantFrom(16, 80, 2_000, 30_000) }),
  },
)

const step: Arbitrary<PlayStep> = oneof(
  { weight: 3, arbitrary: record({ release: integer({ min: 1, max: 8 }) }) },
  {
    weight: 2,
    arbitrary: record({
      action,
      after: oneof(
        { weight: 3, arbitrary: constant<number | 'publication'>(0) },
        { weight: 2, arbitrary: integer({ min: 1, max: 12 }) },
        { weight: 1, arbitrary: constant<number | 'publication'>('publication') },
      ),
    }),
  },
)

/** Everything that is random about a play but the order in which things happen. */
export const plans: Arbitrary<Plan> = record({
  gate: constantFrom('step', 'call'),
  concurrency: constantFrom(1, 2, Infinity),
  maxSteps: constantFrom(1, 2, 3, 25, 25, 25, 25),
  whenBusy: constantFrom('queue', 'queue', 'reject', 'deny'),
  asksBy: constantFrom('toolApproval', 'shouldPauseToolCall'),
  timeoutMs: constantFrom(30_000, 80),
  ignoresAbort: boolean(),
  publishesAtOnce: boolean(),
  makesMessages: sometimes(3),
  slowHooks: oneof(constant([]), constant(['onTurnPause']), subarray([...HOOKS], { maxLength: 4 })),
  failingHook: oneof(
    { weight: 6, arbitrary: constant(null) },
    {
      weight: 1,
      arbitrary: record({ hook: constantFrom(...HOOKS), count: integer({ min: 1, max: 3 }) }),
    },
  ),
  answers: array(answer, { minLength: 2, maxLength: 12, size: 'max' }),
  // A play begins with a message.
  steps: tuple(
    constant<PlayStep>({ action: { do: 'send' }, after: 0 }),
    array(step, { minLength: 10, maxLength: 70, size: 'max' }),
  ).map(([first, rest]) => [first, ...rest]),
})
