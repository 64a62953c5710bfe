import {
  array,
  boolean,
  constant,
  constantFrom,
  integer,
  nat,
  oneof,
  option,
  record,
  tuple,
  type Arbitrary,
} from 'fast-check'
import type { ConfirmationOutcome } from '../../src/confirmation.ts'
import type { CrashPoint } from '../crash/life.ts'
import type { RuleAnswer } from '../../src/testing/decision-model.ts'
import { COVERS, INPUTS, MALFORMED_SCOPES } from './scopes.ts'

/** How a tool is made. */
export interface ToolKind {
  /** `person`: declared without `execute`; `nobody`: no tool has its name. */
  readonly runs: 'here' | 'person' | 'server' | 'nobody'
  /** Its schema can tell which inputs it takes. */
  readonly isEditable: boolean
}

export type ToolName = 'write' | 'send' | 'wipe' | 'form' | 'ask' | 'deploy' | 'constructor'

export const TOOLS: ReadonlyMap<string, ToolKind> = new Map<ToolName, ToolKind>([
  ['write', { runs: 'here', isEditable: true }],
  ['send', { runs: 'here', isEditable: true }],
  // Of risk `destroy`.
  ['wipe', { runs: 'here', isEditable: true }],
  ['form', { runs: 'here', isEditable: false }],
  ['ask', { runs: 'person', isEditable: true }],
  // The server says of each call whether it destroys.
  ['deploy', { runs: 'server', isEditable: false }],
  ['constructor', { runs: 'nobody', isEditable: false }],
])

/** Providers reuse ids, and ids are untrusted. */
export const CALL_IDS = ['call_0', 'call_1', '__proto__', 'constructor', '']

/** A call that the model makes, and what comes of it. */
export interface CallPlan {
  /** Of the few that the play has. */
  readonly tool: number
  readonly input: number
  /** What the server says of it. */
  readonly isDestroy: boolean
  /** What the rules say when they are asked first, and after that. */
  readonly rule: RuleAnswer
  readonly again: RuleAnswer | 'same'
  readonly isRuleSlow: boolean
  readonly does: 'return' | 'stream' | 'fail' | 'throw' | 'hang' | 'ignore-abort'
  /** How long a server takes a yes, in milliseconds. */
  readonly expiresIn: number | null
  readonly isInputStreamed: boolean
}

/** How a request is answered. */
export interface AnswerPlan {
  readonly calls: readonly CallPlan[]
  /** From which call id on they are named. */
  readonly firstId: number
  /** `twice`: the last call has the id of the first. */
  readonly failure: 'none' | 'network' | 'status' | 'error' | 'twice'
}

/** Anything of what may be approved in place of the given input. */
export type EditPlan = number | 'invalid' | null

/** The scope of a `yes_always`. */
export interface ScopePlan {
  readonly covers: number
  readonly isEverywhere: boolean
  /** Milliseconds from now. */
  readonly lasts: number | null
  readonly uses: number | null
}

export interface DecisionPlan {
  /** Mostly one of the calls that wait. */
  readonly which: number
  readonly outcome: ConfirmationOutcome
  readonly edit: EditPlan
  /** By number: a malformed one. */
  readonly scope: ScopePlan | number
}

/** What is done in the same tick. */
export type Next = 'nothing' | 'the same' | 'another'

export type Move =
  | { do: 'send' | 'abort' | 'retry' | 'regenerate' }
  | { do: 'decide'; decision: DecisionPlan; next: Next | 'change' | 'revoke' }
  /** Careful: each call once, and only what can be done. */
  | { do: 'decide several'; decisions: readonly DecisionPlan[]; isCareful: boolean }
  | { do: 'revoke'; which: number; isTwice: boolean }
  | { do: 'stopAll'; next: 'resume' | 'send' }
  /** What was suspended goes on: all of it, or one policy. */
  | { do: 'resume'; which: number | null }
  | { do: 'cancel'; which: number }
  | { do: 'submit'; which: number; isError: boolean; next: Next }
  /** Somebody changes the input of a call that waits, or is about to start. */
  | { do: 'change'; which: number; input: number }
  | { do: 'wait'; ms: number }
  | { do: 'restart'; as: Reopening }
  /** `isTwice`: the engine that follows is left at once. */
  | { do: 'reload'; as: Reopening; isTwice: boolean }

/** As what a conversation is opened again. */
export type Reopening = 'same' | 'another conversation' | 'another schema'

export type PlayStep =
  /** So many things outside of the engine happen, one after the other. */
  | { release: number }
  /** Everything that happens by itself happens. */
  | { rest: true }
  /** After so many microtasks of what happens at the same time. */
  | { move: Move; after: number }
  /** Something is always allowed, and then everything is stopped. */
  | { stop: 'resume' | 'send' }
  /** The process is to end at a point that is counted from now on. */
  | { crash: CrashPoint }

export interface Plan {
  /** Few, so that policies meet calls. */
  readonly tools: readonly ToolName[]
  readonly gate: 'step' | 'call'
  readonly concurrency: number
  readonly maxSteps: number
  readonly whenBusy: 'queue' | 'reject' | 'deny'
  /** `slow`: what happens meanwhile is random; `lazy`: what need not be written at once waits. */
  readonly store: 'none' | 'prompt' | 'slow' | 'lazy'
  readonly answers: readonly AnswerPlan[]
  readonly steps: readonly PlayStep[]
}

/** The first of the values is as likely as all others together. */
const mostly = <T>(usual: T, ...others: T[]): Arbitrary<T> =>
  oneof(constant(usual), constantFrom(...others))

const rarely = (weight: number): Arbitrary<boolean> =>
  oneof({ weight, arbitrary: constant(false) }, { weight: 1, arbitrary: constant(true) })

const input = oneof(
  { weight: 2, arbitrary: constant(1) },
  { weight: 3, arbitrary: nat({ max: INPUTS.length - 1 }) },
)

const tool = constantFrom<ToolName[]>(
  ...(['write', 'write', 'write', 'send', 'wipe', 'wipe', 'form'] as const),
  ...(['ask', 'deploy', 'deploy', 'deploy', 'constructor'] as const),
)

const call: Arbitrary<CallPlan> = record({
  tool: nat({ max: 9 }),
  input,
  isDestroy: boolean(),
  rule: mostly<RuleAnswer>('ask', 'ask', 'none', 'allow', 'deny', 'fail'),
  again: mostly<RuleAnswer | 'same'>('same', 'none', 'ask', 'deny', 'fail'),
  isRuleSlow: rarely(3),
  does: mostly<CallPlan['does']>('return', 'stream', 'fail', 'throw', 'hang', 'ignore-abort'),
  expiresIn: constantFrom<(number | null)[]>(null, 500, 5_000),
  isInputStreamed: boolean(),
})

const answer: Arbitrary<AnswerPlan> = record({
  calls: oneof(
    { weight: 4, arbitrary: array(call, { minLength: 2, maxLength: 4, size: 'max' }) },
    { weight: 1, arbitrary: array(call, { minLength: 1, maxLength: 1 }) },
    { weight: 1, arbitrary: constant([]) },
  ),
  firstId: nat({ max: CALL_IDS.length - 1 }),
  failure: oneof(
    { weight: 10, arbitrary: constant('none' as const) },
    {
      weight: 1,
      arbitrary: constantFrom<AnswerPlan['failure'][]>('network', 'status', 'error', 'twice'),
    },
  ),
})

const which = nat({ max: 9 })

const scope: Arbitrary<ScopePlan | number> = oneof(
  {
    weight: 8,
    arbitrary: record({
      covers: oneof(
        { weight: 3, arbitrary: constantFrom(0, 1, 2, 2) },
        { weight: 2, arbitrary: nat({ max: COVERS.length - 1 }) },
      ),
      isEverywhere: boolean(),
      lasts: mostly<number | null>(null, 500, 5_000, 60_000),
      uses: mostly<number | null>(null, 1, 2),
    }),
  },
  { weight: 1, arbitrary: nat({ max: MALFORMED_SCOPES.length - 1 }) },
)

const decision: Arbitrary<DecisionPlan> = record({
  which,
  outcome: constantFrom<ConfirmationOutcome[]>('yes', 'yes_always', 'yes_always', 'no'),
  edit: oneof(
    { weight: 5, arbitrary: constant(null) },
    { weight: 4, arbitrary: input },
    { weight: 1, arbitrary: constant('invalid' as const) },
  ),
  scope,
})

const afterDecision = mostly<Next | 'change' | 'revoke'>(
  'nothing',
  ...(['the same', 'another', 'change', 'change', 'revoke', 'revoke', 'revoke'] as const),
)

const next = mostly<Next>('nothing', 'the same', 'another')

const move: Arbitrary<Move> = oneof(
  { weight: 4, arbitrary: record({ do: constant('send' as const) }) },
  {
    weight: 12,
    arbitrary: record({ do: constant('decide' as const), decision, next: afterDecision }),
  },
  {
    weight: 3,
    arbitrary: record({
      do: constant('decide several' as const),
      decisions: array(decision, { minLength: 1, maxLength: 4, size: 'max' }),
      isCareful: boolean(),
    }),
  },
  { weight: 3, arbitrary: record({ do: constant('revoke' as const), which, isTwice: boolean() }) },
  {
    weight: 1,
    arbitrary: record({
      do: constant('stopAll' as const),
      next: constantFrom('resume' as const, 'send' as const),
    }),
  },
  { weight: 2, arbitrary: record({ do: constant('resume' as const), which: mostly(null, 0, 1) }) },
  { weight: 2, arbitrary: record({ do: constant('cancel' as const), which }) },
  {
    weight: 2,
    arbitrary: record({ do: constant('submit' as const), which, isError: boolean(), next }),
  },
  { weight: 2, arbitrary: record({ do: constant('change' as const), which, input }) },
  {
    weight: 3,
    arbitrary: record({ do: constant('wait' as const), ms: constantFrom(80, 500, 5_000, 31_000) }),
  },
  { weight: 1, arbitrary: record({ do: constantFrom<'abort'[]>('abort') }) },
  { weight: 1, arbitrary: record({ do: constantFrom('retry' as const, 'regenerate' as const) }) },
)

const restart: Arbitrary<PlayStep> = record({
  move: record({
    do: constant('restart' as const),
    as: constantFrom('same' as const, 'another conversation' as const, 'another schema' as const),
  }),
  after: integer({ min: 0, max: 12 }),
})

/** A step in the life of one engine. */
export const step: Arbitrary<PlayStep> = oneof(
  { weight: 2, arbitrary: record({ release: integer({ min: 1, max: 6 }) }) },
  { weight: 2, arbitrary: constant({ rest: true as const }) },
  {
    weight: 1,
    arbitrary: record({ stop: constantFrom('resume' as const, 'send' as const, 'send' as const) }),
  },
  {
    weight: 5,
    arbitrary: record({
      move,
      after: oneof(
        { weight: 4, arbitrary: constant(0) },
        { weight: 1, arbitrary: integer({ min: 1, max: 12 }) },
      ),
    }),
  },
)

export const SEND: PlayStep = { move: { do: 'send' }, after: 0 }

/** All of a plan but what is kept, and what is done. */
export const settings = {
  tools: array(tool, { minLength: 1, maxLength: 2, size: 'max' }),
  gate: constantFrom('step' as const, 'call' as const),
  concurrency: constantFrom(1, 2, Infinity),
  maxSteps: mostly(25, 1, 2, 4),
  whenBusy: constantFrom('queue' as const, 'reject' as const, 'deny' as const),
  answers: array(answer, { minLength: 3, maxLength: 12, size: 'max' }),
}

/** Everything that is random about a play but the order in which things happen. */
export const plans: Arbitrary<Plan> = record({
  ...settings,
  store: constant('none' as const),
  // A play begins with a message, and some have a second act, in another engine.
  steps: tuple(
    array(step, { minLength: 6, maxLength: 24, size: 'max' }),
    option(tuple(restart, array(step, { minLength: 6, maxLength: 16, size: 'max' }))),
  ).map(([first, second]): PlayStep[] => [
    SEND,
    ...first,
    ...(second ? [second[0], SEND, ...second[1]] : []),
  ]),
})
