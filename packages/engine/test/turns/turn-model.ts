import type { EngineState } from '../../src/state.ts'
import type { Rules } from './rules.ts'

/** What a call is like, as whoever wrote its stream knows it. */
export interface CallFacts {
  /** Found in its input; no two calls share one. */
  readonly uid: string
  readonly where: 'here' | 'server' | 'provider'
  /** `never`: denied by a rule, of an invalid input, or of a tool that nobody knows. */
  readonly runs: 'freely' | 'after-yes' | 'never'
  /** Aborts with the run of the turn that it belongs to. */
  readonly turn: AbortSignal
}

/** Where a call stands. */
export type CallStatus = 'streamed' | 'asked' | 'approved' | 'denied' | 'running' | 'settled'

interface Call extends CallFacts {
  status: CallStatus
  /** What a person has said about it last. */
  answer?: 'yes' | 'no'
  runCount: number
}

type CallMoves = Readonly<Record<CallStatus, readonly CallStatus[]>>

/** The moves that a call makes without a person: those of a person are told. */
const LATER_MOVES = {
  asked: ['settled'],
  // A check before the start may ask again, or deny.
  approved: ['running', 'asked', 'denied', 'settled'],
  denied: ['settled'],
  running: ['settled'],
  settled: [],
} satisfies Partial<CallMoves>

const CALL_MOVES: Readonly<Record<CallFacts['runs'], CallMoves>> = {
  freely: { ...LATER_MOVES, streamed: ['approved', 'running', 'settled'] },
  'after-yes': { ...LATER_MOVES, streamed: ['asked', 'settled'] },
  never: { ...LATER_MOVES, streamed: ['denied', 'settled'] },
}

/** What may follow each state, when every change is seen. */
const STATE_MOVES: Readonly<Record<string, readonly string[]>> = {
  idle: ['requesting', 'calling-tools', 'paused'],
  completed: ['requesting'],
  aborted: ['requesting'],
  error: ['requesting'],
  requesting: ['completing', 'calling-tools', 'pausing', 'completed', 'aborted', 'error'],
  completing: ['requesting', 'calling-tools', 'pausing', 'completed', 'aborted', 'error'],
  'calling-tools': ['requesting', 'pausing', 'completed', 'aborted', 'error'],
  pausing: ['requesting', 'calling-tools', 'paused', 'completed', 'aborted', 'error'],
  paused: ['requesting', 'calling-tools', 'aborted'],
}

/** The same, when only changes of the request state are seen. */
const REQUEST_STATE_MOVES: Readonly<Record<string, readonly string[]>> = {
  idle: ['processing', 'paused'],
  completed: ['processing'],
  aborted: ['processing'],
  error: ['processing'],
  processing: ['paused', 'completed', 'aborted', 'error'],
  paused: ['processing', 'aborted'],
}

/** What each hook of one run of a turn may be followed by. */
const HOOK_MOVES: Readonly<Record<string, readonly string[]>> = {
  none: ['onTurnStart', 'onTurnResume', 'onTurnAbort'],
  onTurnStart: ['onTurnPause', 'onTurnEnd', 'onTurnAbort', 'onError'],
  onTurnResume: ['onTurnPause', 'onTurnEnd', 'onTurnAbort', 'onError'],
  onTurnPause: ['onTurnResume', 'onTurnAbort', 'onError'],
  // A turn that is told of a change while it ends goes on, and ends again.
  onTurnEnd: ['onTurnEnd', 'onTurnPause', 'onTurnAbort', 'onError', 'onFinally'],
  onTurnAbort: ['onFinally'],
  onError: ['onFinally'],
  onFinally: [],
}

/** The reference: what may become of calls and turns, told of each event, knowing no engine. */
export class TurnModel {
  readonly #rules: Rules
  readonly #calls = new Map<string, Call>()
  readonly #hooks = new Map<AbortSignal, string>()
  /** Whether a person is denying all that waits, one call after the other. */
  isDenyingAll = false
  /** Everything was stopped, and nobody has begun anything since. */
  isStopped = false

  constructor(rules: Rules) {
    this.#rules = rules
  }

  streamed(facts: CallFacts): void {
    this.#calls.set(facts.uid, { ...facts, status: 'streamed', runCount: 0 })
  }

  callOf(uid: string): Readonly<Call> | undefined {
    return this.#calls.get(uid)
  }

  /** A call is seen at a place, to which it must have come in one or more moves. */
  seen(uid: string, status: CallStatus): void {
    const call = this.#calls.get(uid)
    if (!call || call.status === status) return
    const isDenied = this.isDenyingAll && call.status === 'asked' && status === 'denied'
    if (isDenied) call.answer = 'no'
    const isLegal = isDenied || canReach(CALL_MOVES[call.runs], call.status, status)
    this.#rules.hold('a call moves along the table', isLegal, `${uid} ${call.status} → ${status}`)
    call.status = status
  }

  /** A person decides now. Answers whether that counts: the call was asked about, and nobody did. */
  decides(uid: string, outcome: 'yes' | 'no'): boolean {
    const call = this.#calls.get(uid)
    if (call?.status !== 'asked') return false
    call.answer = outcome
    call.status = outcome === 'yes' ? 'approved' : 'denied'
    return true
  }

  /** A tool starts here. */
  started(uid: string): void {
    const call = this.#run(uid)
    this.#rules.hold('a call runs at most once', call.runCount === 1, uid)
    this.#rules.hold('no tool starts once its turn is over', !call.turn.aborted, uid)
    const isLet = call.status === 'running' || call.status === 'approved'
    if (call.runs === 'after-yes') {
      this.#rules.hold('a call that asks runs only after a yes', isLet, `${uid} ${call.status}`)
    }
    const isDenied = call.runs === 'never' || call.where !== 'here' || call.status === 'denied'
    this.#rules.hold('a denied call never runs', !isDenied, `${uid} ${call.status}`)
  }

  /** A server found a yes in a request, and runs the call. */
  ranElsewhere(uid: string): void {
    const { status, runCount } = this.#run(uid)
    const isLet = status === 'approved' && runCount === 1
    const facts = `${uid} ${status}, run ${runCount}`
    this.#rules.hold('a server runs a call at most once, after a yes', isLet, facts)
  }

  #run(uid: string): Call {
    const call = this.#calls.get(uid)
    if (!call) throw new Error(`Nobody called ${uid}.`)
    call.runCount++
    return call
  }

  moved(from: EngineState, to: EngineState, isEveryChangeSeen: boolean): void {
    const [before, after] = isEveryChangeSeen
      ? [positionOf(from), positionOf(to)]
      : [from.requestState, to.requestState]
    if (before === after) return
    const moves = isEveryChangeSeen ? STATE_MOVES : REQUEST_STATE_MOVES
    const isLegal = moves[before]?.includes(after) ?? false
    this.#rules.hold('a state moves along the table', isLegal, `${before} → ${after}`)
  }

  hooked(run: AbortSignal, hook: string): void {
    if (!(hook in HOOK_MOVES)) return
    const before = this.#hooks.get(run) ?? 'none'
    const isInOrder = HOOK_MOVES[before]?.includes(hook) ?? false
    this.#rules.hold('hooks come in order', isInOrder, `${before} → ${hook}`)
    this.#hooks.set(run, hook)
  }
}

function positionOf({ requestState, processingState }: EngineState): string {
  return processingState ?? requestState
}

function canReach(
  moves: CallMoves,
  from: CallStatus,
  to: CallStatus,
  passed: readonly CallStatus[] = [],
): boolean {
  return moves[from].some(
    (next) =>
      next === to || (!passed.includes(next) && canReach(moves, next, to, [...passed, from])),
  )
}
