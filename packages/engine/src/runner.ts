import type { UIMessage } from 'ai'
import { EngineError } from './errors.ts'
import { runAllHooks } from './hooks.ts'
import { isLocalApproval, toolCallStatus, type ToolCallPart } from './message/tool-part.ts'
import { extendContext, type PluginContext } from './plugin.ts'
import { holdAll } from './queue.ts'
import { dropLastStep } from './retry.ts'
import { createRun, endRun, wake, type Run } from './run.ts'
import type { TurnOutcome } from './state.ts'
import type { ChunkStream, TurnRequestOptions } from './transport/transport.ts'
import { driveTurn, type TurnEntry } from './turn.ts'
import { closeTurnMessages, createContext, type TurnHost } from './turn-host.ts'

/** How long the hooks of a turn that is already over may take, in milliseconds. */
const AFTERMATH_MS = 80

/** What opens a turn. */
export interface TurnOpening<MESSAGE extends UIMessage> {
  trigger: 'submit-message' | 'regenerate-message'
  extras: TurnRequestOptions
  /** The message that is answered anew or was replaced. */
  messageId?: string
  /** Appended; a turn without one answers the messages as they are. */
  message?: MESSAGE
}

/** Lets at most one turn be alive, with at most one loop. */
export interface Runner<MESSAGE extends UIMessage> {
  /** The open turn's token. */
  current(): Run | undefined
  /** Whether a turn is processing or paused. */
  isBusy(): boolean
  /** Opens a turn; `processing` in the same tick. */
  open(opening: TurnOpening<MESSAGE>): Run
  /** Takes up restored messages that wait for a decision. */
  adopt(turnId: string): void
  /** Goes on with a paused turn. */
  resume(run: Run, showing: 'calling-tools' | 'requesting'): void
  /** Requests a step: of the open turn, or of a new one. */
  requestNext(): void
  /** Requests the failed or aborted step again. Throws `nothing_to_retry`. */
  retry(extras: TurnRequestOptions): Run
  /** Takes up a stream that the server still sends. */
  takeUp(stream: ChunkStream, options: { isReplay: boolean; extras: TurnRequestOptions }): Run
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
  options: RunnerOptions,
): Runner<MESSAGE> {
  let run: Run | undefined

  function isBusy(): boolean {
    const { requestState } = host.store.getState()
    return requestState === 'processing' || requestState === 'paused'
  }

  function drive(driven: Run, entry: TurnEntry): Run {
    driven.isLooping = true
    run = driven
    void driveTurn(host, driven, entry)
    return driven
  }

  /** What a failed turn left open for a retry is closed when another one begins. */
  function closeLeftovers(): void {
    closeTurnMessages(host, { text: endedText('The conversation went on'), ended: 'interrupted' })
  }

  function startTurn(
    init: Pick<Run, 'trigger' | 'extras' | 'messageId'>,
    userMessageId?: string,
  ): Run {
    const started = createRun({ ...init, turnId: host.generateId() })
    host.store.patch({
      requestState: 'processing',
      processingState: 'requesting',
      error: undefined,
      turn: {
        id: started.turnId,
        ...(userMessageId === undefined ? {} : { userMessageId }),
        step: 0,
        maxSteps: options.maxSteps,
        unsent: [],
        customContext: {},
      },
    })
    return started
  }

  /** Runs the hooks of a turn that is over, then lets its promise and the next turn go. */
  async function windUp(
    ended: Run,
    outcome: TurnOutcome,
    hooks: () => Promise<void>,
  ): Promise<void> {
    await withinMs(hooks(), AFTERMATH_MS)
    ended.outcome.resolve(outcome)
    options.onTurnOver()
  }

  function finallyHooks(ended: Run): Promise<void> {
    const context = aftermathContext(ended)
    return runAllHooks(host.plugins, 'onFinally', (p) => p.onFinally?.(context), host.report)
  }

  /** The hooks of a turn that is over may write until another one begins. */
  function aftermathContext(ended: Run): PluginContext<MESSAGE> {
    return createContext(host, ended, () => run === ended)
  }

  const runner: Runner<MESSAGE> = {
    current: () => run,
    isBusy,
    open({ message, ...init }) {
      closeLeftovers()
      if (message) host.store.append(message)
      const { messages } = host.store.getState()
      const userMessageId = messages.findLast(({ role }) => role === 'user')?.id
      return drive(startTurn(init, userMessageId), { hook: 'onTurnStart' })
    },
    adopt(turnId) {
      run = createRun({ turnId, trigger: 'submit-message', extras: {} })
    },
    resume(paused, showing) {
      if (!paused.isAlive || paused.isLooping) return
      paused.pauseRequested = undefined
      paused.isLooping = true
      host.store.patch({ requestState: 'processing', processingState: showing })
      drive(paused, { hook: 'onTurnResume' })
    },
    requestNext() {
      if (!run?.isAlive) {
        runner.open({ trigger: 'submit-message', extras: {} })
        return
      }
      run.isNextRequested = true
      wake(run)
      runner.resume(run, 'requesting')
    },
    retry(extras) {
      const { turn, requestState, messages } = host.store.getState()
      const isFailed = requestState === 'error' || requestState === 'aborted'
      if (!(isFailed && turn) && messages.at(-1)?.role !== 'user') {
        throw new EngineError(
          'nothing_to_retry',
          'The last turn has its answer; use regenerate to ask for another one.',
        )
      }
      if (!isFailed || !turn) return runner.open({ trigger: 'submit-message', extras })
      dropLastStep(host.store, turn)
      const again = createRun({ turnId: turn.id, trigger: 'submit-message', extras })
      again.isNextRequested = true
      const { notice: _notice, pauseReason: _pauseReason, ...facts } = turn
      host.store.patch({
        requestState: 'processing',
        processingState: 'requesting',
        error: undefined,
        turn: { ...facts, step: Math.max(0, facts.step - 1) },
      })
      return drive(again, { hook: 'onTurnResume' })
    },
    takeUp(stream, { isReplay, extras }) {
      const before = host.store.getState()
      if (before.requestState === 'error' && before.turn) {
        // The stream of the failed step, from its beginning: it is written anew.
        dropLastStep(host.store, before.turn)
        const again = createRun({ turnId: before.turn.id, trigger: 'submit-message', extras })
        host.store.patch({
          requestState: 'processing',
          processingState: 'requesting',
          error: undefined,
        })
        return drive(again, { hook: 'onTurnResume', stream })
      }
      closeLeftovers()
      const { messages } = host.store.getState()
      const last = messages.at(-1)
      const userMessageId = messages.findLast(({ role }) => role === 'user')?.id
      const started = startTurn({ trigger: 'submit-message', extras }, userMessageId)
      const { turn } = host.store.getState()
      if (turn) {
        const assistantMessageId = last?.role === 'assistant' ? last.id : undefined
        host.store.patch({
          turn: {
            ...turn,
            step: 1,
            ...(assistantMessageId === undefined ? {} : { assistantMessageId }),
            lastStep: { messageId: undefined, partCount: 0 },
          },
        })
      }
      return drive(started, { hook: 'onTurnStart', stream, isReplay })
    },
    finish(finished, error) {
      if (!finished.isAlive) return
      endRun(finished)
      const { turnId } = finished
      if (!error) {
        host.store.patch({ requestState: 'completed' })
        void windUp(finished, { turnId, requestState: 'completed' }, () => finallyHooks(finished))
        return
      }
      // A request that the server refused unread carried decisions that a retry can still send.
      if (error.code === 'http_status') host.store.detach()
      else closeTurnMessages(host, { text: endedText('The turn failed'), ended: 'interrupted' })
      const { queue } = host.store.getState()
      host.store.patch({ requestState: 'error', error, queue: holdAll(queue) })
      finished.controller.abort(error)
      options.onTurnError(error)
      void windUp(finished, { turnId, requestState: 'error', error }, async () => {
        const context = extendContext(aftermathContext(finished), { error })
        await runAllHooks(host.plugins, 'onError', (p) => p.onError?.(context), host.report)
        await finallyHooks(finished)
      })
    },
    async abort() {
      const aborted = run
      if (!aborted?.isAlive || !isBusy()) return
      endRun(aborted)
      closeTurnMessages(host, { text: endedText('Aborted by the user'), ended: 'cancelled' })
      const { queue } = host.store.getState()
      host.store.patch({ requestState: 'aborted', queue: holdAll(queue) })
      aborted.controller.abort(new DOMException('The turn was aborted.', 'AbortError'))
      const context = aftermathContext(aborted)
      await windUp(aborted, { turnId: aborted.turnId, requestState: 'aborted' }, async () => {
        await runAllHooks(host.plugins, 'onTurnAbort', (p) => p.onTurnAbort?.(context), host.report)
        await finallyHooks(aborted)
      })
    },
    dispose() {
      if (!run?.isAlive) return
      endRun(run)
      run.controller.abort(new DOMException('The engine was disposed.', 'AbortError'))
      run.outcome.resolve({
        turnId: run.turnId,
        requestState: host.store.getState().requestState,
        error: new EngineError('disposed', 'The engine was disposed before the turn ended.'),
      })
    },
  }
  return runner
}

/** Says for each call what is known: whether it can have taken effect. */
function endedText(why: string): (part: ToolCallPart) => string {
  return (part) => {
    switch (toolCallStatus(part)) {
      case 'executing':
        return `${why} while it ran; it may have taken effect.`
      case 'awaiting-approval':
        return `${why} before it was decided; it did not run.`
      default:
        return part.state === 'approval-responded' && !isLocalApproval(part.approval.id)
          ? `${why} after it was approved; whether it ran is not known.`
          : `${why} before it ran.`
    }
  }
}

async function withinMs(work: Promise<void>, ms: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const bound = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work, bound])
  clearTimeout(timer)
}
