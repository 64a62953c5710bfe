import type { UIMessage } from 'ai'
import { endOf, noticeOf } from './answer-end.ts'
import { toEngineError, type EngineError } from './errors.ts'
import { endedText, type CallFate } from './message/close-open-parts.ts'
import { extendContext } from './plugin.ts'
import type { ResponseWatch } from './response-watch.ts'
import type { Run } from './run.ts'
import type { PauseReason, TurnNotice } from './state.ts'
import { sendStep } from './send-step.ts'
import { consumeStream } from './step.ts'
import type { ChunkStream } from './transport/transport.ts'
import {
  closeTurnMessages,
  createContext,
  endPause,
  patchTurn,
  runTurnHooks,
  showProcessing,
  type TurnHost,
} from './turn-host.ts'

/** A stream that the server still sends. */
export interface TakenUp {
  readonly stream: ChunkStream
  readonly watch: ResponseWatch
  /** It empties the message that it goes on with. */
  readonly isReplay: boolean
}

/** How a loop begins: with a turn that starts, one that goes on, or one that has a stream already. */
export interface TurnEntry {
  hook: 'onTurnStart' | 'onTurnResume'
  /** Read in place of the answer to a request. */
  takenUp?: TakenUp
}

/**
 * The loop of a turn: settles what is open, then requests a step, until nothing is left. It reads
 * where it stands from the messages and the facts of the turn, never from its own place in the
 * code, and returns at a pause.
 */
export async function driveTurn<MESSAGE extends UIMessage>(
  host: TurnHost<MESSAGE>,
  run: Run,
  { hook, takenUp }: TurnEntry,
): Promise<void> {
  try {
    await callHook(host, run, hook)
    if (takenUp) await consumeStream(host, run, takenUp.stream, takenUp.watch, takenUp)
    // Asked of the round itself, not of the run: at a pause another loop may have begun already.
    while (run.isAlive && !(await isOver(host, run))) continue
  } catch (error) {
    if (!run.isAlive) return
    const failure = toEngineError(error, 'hook_failed')
    const { delivery, store } = host
    host.finish(run, delivery?.toUnanswered(store.getState(), failure) ?? failure)
  }
}

/** One round of the loop. Answers whether it was the last one. */
async function isOver<MESSAGE extends UIMessage>(
  host: TurnHost<MESSAGE>,
  run: Run,
): Promise<boolean> {
  const { store } = host
  run.isWoken = false
  const { step = 0, maxSteps = 0 } = store.getState().turn ?? {}
  const isAtBound = step >= maxSteps
  store.batch(() => {
    if (!isAtBound) return
    const isAnyOpen = closeCalls(host, `this turn has used up its ${maxSteps} steps`)
    if (isAnyOpen) patchTurn(host, { notice: 'max-steps' })
  })
  const answer = await settle(host, run)
  if (!run.isAlive) return true
  if (answer === 'pause') return pause(host, run)
  if (answer !== 'next' && !run.isNextRequested && step > 0) return complete(host, run)
  if (!isAtBound) {
    await sendStep(host, run)
    return false
  }
  run.isNextRequested = false
  patchTurn(host, { notice: 'max-steps' })
  return !run.isAlive || complete(host, run)
}

/** Every plugin's answer: any pause wins, else any next. */
async function settle<MESSAGE extends UIMessage>(
  host: TurnHost<MESSAGE>,
  run: Run,
): Promise<'pause' | 'next' | undefined> {
  let pauseReason: PauseReason | undefined
  let isStale = false
  let failure: EngineError | undefined
  let isCalling = false
  const context = extendContext(createContext(host, run), {
    callingTools() {
      isCalling = true
      if (run.isAlive) showProcessing(host, 'calling-tools')
    },
    changed() {
      isStale ||= run.isWoken
      run.isWoken = false
      return run.wakeUp.promise
    },
    fail(error: EngineError) {
      failure = error
    },
    setPauseReason(reason: PauseReason) {
      pauseReason = reason
    },
  })
  const answers = await runTurnHooks(host, run, 'onSettle', context, (subject) =>
    // Then it is the calls that take their time.
    isCalling ? () => {} : host.waits.begin(subject),
  )
  if (!run.isAlive) return undefined
  // A plugin before the one that forgot a change has not seen it.
  if (isStale) return settle(host, run)
  if (failure) throw failure
  if (!run.pauseRequested && !answers.includes('pause')) {
    return answers.includes('next') ? 'next' : undefined
  }
  patchTurn(host, { pauseReason: run.pauseRequested ?? pauseReason ?? { type: 'plugin' } })
  return 'pause'
}

/** Publishes `paused` unless a fact changed meanwhile: cards show, and are answered, while pausing. */
async function pause<MESSAGE extends UIMessage>(
  host: TurnHost<MESSAGE>,
  run: Run,
): Promise<boolean> {
  showProcessing(host, 'pausing')
  await callHook(host, run, 'onTurnPause')
  // Who is shown a pause can rely on finding it again.
  const saving = run.isAlive ? host.save() : undefined
  if (saving) await saving
  if (!run.isAlive) return true
  if (run.isWoken) {
    endPause(host, run)
    await callHook(host, run, 'onTurnResume')
    return false
  }
  // The handle of the loop is dropped in the tick in which the pause is published: a decision made
  // by a subscriber must start a loop of its own.
  run.isLooping = false
  const { outcome, turnId } = run
  run.outcome = Promise.withResolvers()
  host.store.patch({ requestState: 'paused' })
  const { turn } = host.store.getState()
  outcome.resolve({ turnId, requestState: 'paused', ...(turn && endOf(turn)) })
  return true
}

async function complete<MESSAGE extends UIMessage>(
  host: TurnHost<MESSAGE>,
  run: Run,
): Promise<boolean> {
  closeCalls(host, 'no tool of this name runs here')
  let notice: TurnNotice | undefined
  const context = extendContext(createContext(host, run), {
    setNotice(said: TurnNotice) {
      notice = said
    },
  })
  await runTurnHooks(host, run, 'onTurnEnd', context)
  if (run.isAlive && (run.isWoken || run.isNextRequested || run.pauseRequested)) return false
  if (run.isAlive) {
    const { turn } = host.store.getState()
    // What ended the turn itself says more than how its last response did.
    const said = notice ?? turn?.notice ?? (turn && noticeOf(turn))
    if (said) patchTurn(host, { notice: said })
  }
  host.finish(run)
  return true
}

/**
 * Gives the calls that are left a result. The answer has come to its end, so that nobody else runs
 * them either, but for those that were decided: what became of such a one is not known.
 */
function closeCalls<MESSAGE extends UIMessage>(host: TurnHost<MESSAGE>, why: string): boolean {
  const isIdle = (fate: CallFate) => fate === 'undecided' || fate === 'unstarted'
  return closeTurnMessages(
    host,
    (fate) => (isIdle(fate) ? `Not executed: ${why}.` : endedText('The turn ended')(fate)),
    (fate) => (isIdle(fate) ? 'cancelled' : 'interrupted'),
    { isAnswered: true },
  )
}

async function callHook<MESSAGE extends UIMessage>(
  host: TurnHost<MESSAGE>,
  run: Run,
  hook: 'onTurnStart' | 'onTurnResume' | 'onTurnPause',
): Promise<void> {
  await runTurnHooks(host, run, hook, createContext(host, run))
}
