import type { UIMessage } from 'ai'
import { endOf, withoutEnd } from './answer-end.ts'
import { EngineError } from './errors.ts'
import { isPauseOver, runHooks, tellPlugins } from './hooks.ts'
import { endedText } from './message/close-open-parts.ts'
import { given } from './message/given.ts'
import { extendContext } from './plugin.ts'
import { holdAll } from './queue.ts'
import { leftRequests } from './request-name.ts'
import { dropStep } from './retry.ts'
import { createRun, wake, type Run, type RunInit } from './run.ts'
import type { TurnState } from './state.ts'
import type { TurnRequestOptions } from './transport/transport.ts'
import { driveTurn, type TakenUp, type TurnEntry } from './turn.ts'
import {
  closeTurnMessages,
  createContext,
  endPause,
  keptRequest,
  mergeExtras,
  patchTurn,
  showProcessing,
  type TurnHost,
} from './turn-host.ts'
import { withinMs } from './within-ms.ts'

/** How long the hooks of a turn that is already over may take, in milliseconds. */
const AFTERMATH_MS = 80

/** What opens a turn. */
export interface TurnOpening<MESSAGE extends UIMessage> extends RunInit {
  /** Changes of the state that belong to the opening: made with it, or not at all. */
  prepare?: () => void
  /** Appended; a turn without one answers the messages as they are. */
  message?: MESSAGE
}

/** Lets at most one turn be alive, with at most one loop. */
export interface Runner<MESSAGE extends UIMessage> {
  /** The last turn's token. */
  current(): Run | undefined
  /** Whether a turn is processing or paused. */
  isBusy(): boolean
  /** Opens a turn; `processing` in the same tick. */
  open(opening: TurnOpening<MESSAGE>): Run
  /** Takes up restored messages that wait for a decision. */
  adopt(turnId: string): void
  /** Takes up a restored turn that was at its calls, or about to make a request. */
  goOn(turnId: string, isStepDue?: boolean): void
  /** Takes up a restored turn that failed, and ends it so: with its hooks, unless that is known. */
  takeUpFailed(turnId: string, error: EngineError, isKnown: boolean): void
  /** Takes up a restored turn whose decisions are to be sent again. */
  sendAgain(turn: TurnState): void
  /** What holds has changed, or this was just restored: goes on if there is something to settle. */
  lookAgain(isRestored: boolean): void
  /** Goes on with a paused turn. */
  resume(run: Run, showing: 'calling-tools' | 'requesting'): void
  /** Requests a step: of the open turn, or of a new one. */
  requestNext(): void
  /**
   * Requests the failed or aborted step again, or goes on with an answer that was cut. Throws
   * `nothing_to_retry`.
   */
  retry(extras: TurnRequestOptions): Run
  /** Takes up a stream that the server still sends. */
  takeUp(taken: Omit<TakenUp, 'isReplay'>, extras: TurnRequestOptions): Run
  finish(run: Run, error?: EngineError): void
  abort(): Promise<void>
  dispose(): void
}

export interface RunnerOptions {
  maxSteps: number
  /** A turn failed. */
  onTurnError: (error: EngineError) => void
  /** A turn is over and its hooks have run: the next may begin. */
  onTurnOver: () => void
}

export function createRunner<MESSAGE extends UIMessage>(
  host: TurnHost<MESSAGE>,
  { maxSteps, onTurnError, onTurnOver }: RunnerOptions,
): Runner<MESSAGE> {
  const { store, plugins, generateId, report, transport } = host
  let run: Run | undefined

  function isBusy(): boolean {
    const { requestState } = store.getState()
    return requestState === 'processing' || requestState === 'paused'
  }

  /** Starts the loop of a turn that is made to begin, or to go on, in one change of the state. */
  function launch(entry: TurnEntry, begin: () => Run): Run {
    const begun = store.batch(() => {
      // A subscriber may end the turn in the moment it is told of it: the token comes first.
      run = begin()
      run.isLooping = true
      showProcessing(host, 'requesting')
      return run
    })
    void driveTurn(host, begun, entry)
    return begun
  }

  /** The token of the turn with these facts. */
  function begin(init: RunInit, facts: Partial<TurnState> & { id: string }): Run {
    const request = keptRequest(init.extras)
    const supersedes = leftRequests(store.getState().turn)
    const turn = {
      step: 0,
      maxSteps,
      unsent: [],
      customContext: {},
      supersedes,
      ...facts,
      ...request,
    }
    store.patch({ turn, error: undefined })
    return createRun(turn.id, init)
  }

  /** The facts of a new turn that answers the messages as they are. */
  function newTurn(): Partial<TurnState> {
    // What a failed turn left open for a retry.
    closeTurnMessages(host, endedText('The conversation went on'))
    const userMessageId = store.getState().messages.findLast(({ role }) => role === 'user')?.id
    return given({ userMessageId })
  }

  /** The turn that failed or was aborted, if the last one did. */
  function failedTurn(): TurnState | undefined {
    const { turn, requestState } = store.getState()
    return requestState === 'error' || requestState === 'aborted' ? turn : undefined
  }

  /** Goes on with a turn without what its last step said, and with what that was requested with. */
  function beginAgain(turn: TurnState, extras: TurnRequestOptions, isReplayed: boolean): Run {
    const { pauseReason: _pauseReason, ...facts } = withoutEnd(turn)
    const { lastStep } = turn
    const isUndone = !lastStep || dropStep(store, lastStep, isReplayed)
    const step = lastStep ? lastStep.step - 1 : turn.step
    const former = run?.turnId === turn.id ? run : undefined
    const isFirst = isUndone && step === 0
    const init = {
      ...((isFirst && former) || submit),
      extras: mergeExtras(former?.extras ?? turn.request ?? {}, extras),
    }
    // A stream that is taken up needs no request.
    return begin(init, { ...facts, step: isReplayed ? step + 1 : step })
  }

  /** The turn whose answer was cut at its greatest length, as long as that is the last message. */
  function cutTurn(): TurnState | undefined {
    const { turn, messages } = store.getState()
    const isLast = messages.at(-1)?.id === turn?.assistantMessageId
    return turn?.notice === 'length' && isLast && !isBusy() ? turn : undefined
  }

  /** Goes on where an answer was cut: in the same message, which the model is given as it is. */
  function continueAnswer(turn: TurnState, extras: TurnRequestOptions): Run {
    const { lastStep: _lastStep, ...facts } = withoutEnd(turn)
    const again = begin(
      { ...submit, extras: mergeExtras(turn.request ?? {}, extras) },
      // Whoever asks for more asks for one step more at least.
      { ...facts, maxSteps: Math.max(turn.maxSteps, turn.step + 1) },
    )
    again.isNextRequested = true
    return again
  }

  function abortReason(what: string): DOMException {
    return new DOMException(`The ${what}.`, 'AbortError')
  }

  /** Ends a turn in the tick in which it is called; its hooks have some time left after that. */
  async function end(
    ended: Run,
    requestState: 'completed' | 'aborted' | 'error',
    hooks: readonly ('onTurnAbort' | 'onError' | 'onFinally')[],
    error?: EngineError,
  ): Promise<void> {
    ended.isAlive = false
    ended.isLooping = false
    wake(ended)
    // The hooks of a turn that is over may write until another one begins.
    const base = createContext(host, ended, () => run === ended)
    const context = error ? extendContext(base, { error }) : base
    const { turn } = store.getState()
    store.batch(() => {
      host.waits.clear()
      if (requestState === 'aborted') {
        closeTurnMessages(host, endedText('Aborted'), 'cancelled')
      }
      // Of a request that was refused, all that it carried can be sent again; and what another one goes
      // on with is not closed here.
      else if (error && error.code !== 'http_status' && error.code !== 'taken_over') {
        const why = error.code === 'interrupted' ? 'Interrupted' : 'Failed'
        const isAnswered =
          error.code === 'stream_error' && !host.delivery?.toRepeat(store.getState()).length
        closeTurnMessages(host, endedText(why), 'interrupted', { keepsDecisions: !isAnswered })
      }
      store.detach()
      patchTurn(host, { sending: undefined })
      tellPlugins(plugins, 'onTurnOver', context, report)
      const { queue } = store.getState()
      const isDone = requestState === 'completed'
      store.patch({ requestState, error, queue: isDone ? queue : holdAll(queue) })
      if (!isDone) ended.controller.abort(error ?? abortReason('turn was aborted'))
    })
    // At once: what an abort has ended must not go on after a crash.
    if (requestState === 'aborted') void host.save()
    if (error && hooks.length > 0) onTurnError(error)
    await withinMs(AFTERMATH_MS, async () => {
      for (const hook of hooks) await runHooks(plugins, hook, context as never, { report })
      // Who waits for the turn finds its end stored.
      await host.save()
    })
    const { turnId } = ended
    ended.outcome.resolve({ turnId, requestState, ...(turn && endOf(turn)), ...given({ error }) })
    onTurnOver()
  }

  const runner: Runner<MESSAGE> = {
    current: () => run,
    isBusy,
    open({ message, prepare, ...init }) {
      // Before anything is changed: it may throw.
      const id = generateId()
      return launch(start, () => {
        prepare?.()
        const facts = newTurn()
        if (message) store.append(message)
        const userMessageId = message?.role === 'user' ? message.id : facts.userMessageId
        return begin(init, { ...facts, id, ...given({ userMessageId }) })
      })
    },
    adopt(turnId) {
      run = createRun(turnId, { ...submit, extras: store.getState().turn?.request ?? {} })
    },
    goOn(turnId, isStepDue = false) {
      runner.adopt(turnId)
      const taken = run
      if (!taken) return
      taken.isLooping = true
      taken.isNextRequested = isStepDue
      showProcessing(host, isStepDue ? 'requesting' : 'calling-tools')
      void driveTurn(host, taken, goOn)
    },
    sendAgain(turn) {
      launch(goOn, () => {
        const again = beginAgain({ ...turn, sending: undefined }, {}, false)
        again.isNextRequested = true
        return again
      })
    },
    takeUpFailed(turnId, error, isKnown) {
      store.batch(() => {
        runner.adopt(turnId)
        showProcessing(host, 'completing')
        if (run) void end(run, 'error', isKnown ? [] : FAILURE, error)
      })
    },
    lookAgain(isRestored) {
      if (!run?.isAlive) return
      if (run.isLooping) return wake(run)
      const context = createContext(host, run)
      if (isPauseOver(plugins, context, isRestored, report)) runner.resume(run, 'calling-tools')
    },
    resume(paused, showing) {
      if (!paused.isAlive || paused.isLooping) return
      paused.isLooping = true
      store.batch(() => {
        endPause(host, paused)
        showProcessing(host, showing)
      })
      void driveTurn(host, paused, goOn)
    },
    requestNext() {
      if (!run?.isAlive) {
        runner.open({ ...submit, extras: {} })
        return
      }
      run.isNextRequested = true
      wake(run)
      runner.resume(run, 'requesting')
    },
    retry(extras) {
      const failed = failedTurn()
      if (failed) {
        return launch(goOn, () => {
          const again = beginAgain(failed, extras, false)
          again.isNextRequested = true
          return again
        })
      }
      const cut = cutTurn()
      if (cut) return launch(goOn, () => continueAnswer(cut, extras))
      if (store.getState().messages.at(-1)?.role === 'user') {
        return runner.open({ ...submit, extras })
      }
      throw new EngineError(
        'nothing_to_retry',
        'The last turn has its answer; regenerate asks for another one.',
      )
    },
    takeUp(taken, extras) {
      const failed = failedTurn()
      if (failed) {
        // The stream of the failed step, from its beginning: it is written anew.
        const takenUp = { ...taken, isReplay: false }
        return launch({ ...goOn, takenUp }, () => beginAgain(failed, extras, true))
      }
      const id = generateId()
      const takenUp = { ...taken, isReplay: transport.resumeStreamIsReplay ?? true }
      return launch({ ...start, takenUp }, () => {
        const last = store.getState().messages.at(-1)
        const assistantMessageId = last?.role === 'assistant' ? last.id : undefined
        return begin(
          { ...submit, extras },
          {
            ...newTurn(),
            id,
            step: 1,
            lastStep: { step: 1, messageId: assistantMessageId, partCount: 0 },
            ...given({ assistantMessageId }),
          },
        )
      })
    },
    finish(finished, error) {
      if (!finished.isAlive) return
      if (error) void end(finished, 'error', FAILURE, error)
      else void end(finished, 'completed', ['onFinally'])
    },
    async abort() {
      if (run?.isAlive && isBusy()) await end(run, 'aborted', ['onTurnAbort', 'onFinally'])
    },
    dispose() {
      if (!run?.isAlive) return
      run.isAlive = false
      wake(run)
      host.waits.clear()
      run.controller.abort(abortReason('engine was disposed'))
      const { requestState } = store.getState()
      const error = new EngineError('disposed', 'The engine was disposed before the turn ended.')
      run.outcome.resolve({ turnId: run.turnId, requestState, error })
    },
  }
  return runner
}

const FAILURE = ['onError', 'onFinally'] as const
const submit = { trigger: 'submit-message' } as const
const start = { hook: 'onTurnStart' } as const
const goOn = { hook: 'onTurnResume' } as const
