import type { UIMessage } from 'ai'
import { toEngineError } from './errors.ts'
import { runHooks } from './hooks.ts'
import { extendContext } from './plugin.ts'
import type { Run } from './run.ts'
import type { PauseReason } from './state.ts'
import { consumeStream, requestStep } from './step.ts'
import type { ChunkStream } from './transport/transport.ts'
import { closeTurnMessages, createContext, patchTurn, type TurnHost } from './turn-host.ts'

/** How a loop begins: a turn that starts, one that goes on, or one that has a stream already. */
export interface TurnEntry {
  hook: 'onTurnStart' | 'onTurnResume'
  stream?: ChunkStream
  isReplay?: boolean
}

type Answer = 'pause' | 'next' | undefined

/**
 * The loop of a turn: settles what is open, then requests a step, until nothing is left. It reads
 * where it stands from the messages and the facts of the turn, never from its own place in the
 * code, and returns at a pause.
 */
export async function driveTurn<MESSAGE extends UIMessage>(
  host: TurnHost<MESSAGE>,
  run: Run,
  entry: TurnEntry,
): Promise<void> {
  try {
    await sequence(host, run, entry.hook)
    if (entry.stream) await consumeStream(host, run, entry.stream, entry)
    // Asked of the step itself, not of the run: at a pause another loop may have begun already.
    while ((await advanceOnce(host, run)) === 'again') continue
  } catch (error) {
    if (run.isAlive) host.finish(run, toEngineError(error, 'hook_failed'))
  }
}

async function advanceOnce<MESSAGE extends UIMessage>(
  host: TurnHost<MESSAGE>,
  run: Run,
): Promise<'again' | 'over'> {
  if (!run.isAlive) return 'over'
  run.isWoken = false
  if (isAtBound(host)) closeAtBound(host)
  const answer = await settle(host, run)
  if (!run.isAlive) return 'over'
  if (answer === 'pause') return pause(host, run)
  const isDue = answer === 'next' || run.isNextRequested || stepsOf(host) === 0
  if (!isDue) return complete(host, run)
  if (isAtBound(host)) {
    patchTurn(host, { notice: 'max-steps' })
    run.isNextRequested = false
    return complete(host, run)
  }
  await requestStep(host, run)
  return 'again'
}

/** Every plugin's answer: any pause wins, else any next. */
async function settle<MESSAGE extends UIMessage>(
  host: TurnHost<MESSAGE>,
  run: Run,
): Promise<Answer> {
  let reason: PauseReason | undefined
  let isStale = false
  const base = createContext(host, run)
  const answers = await runHooks(
    host.plugins,
    'onSettle',
    (plugin) =>
      plugin.onSettle?.(
        extendContext(base, {
          callingTools() {
            if (run.isAlive) {
              host.store.patch({ requestState: 'processing', processingState: 'calling-tools' })
            }
          },
          changed() {
            if (run.isWoken) isStale = true
            run.isWoken = false
            return run.wakeUp.promise
          },
          setPauseReason(next: PauseReason) {
            reason = next
          },
        }),
      ),
    () => run.isAlive,
  )
  if (!run.isAlive) return undefined
  // A plugin before the one that forgot a change has not seen it.
  if (isStale) return settle(host, run)
  const pauseReason = run.pauseRequested ?? reason
  if (run.pauseRequested || answers.includes('pause')) {
    patchTurn(host, { pauseReason: pauseReason ?? { type: 'plugin' } })
    return 'pause'
  }
  return answers.includes('next') ? 'next' : undefined
}

/** Publishes `paused` unless a fact changed meanwhile: cards show, and are answered, while pausing. */
async function pause<MESSAGE extends UIMessage>(
  host: TurnHost<MESSAGE>,
  run: Run,
): Promise<'again' | 'over'> {
  const { store } = host
  store.patch({ requestState: 'processing', processingState: 'pausing' })
  await sequence(host, run, 'onTurnPause')
  if (!run.isAlive) return 'over'
  if (run.isWoken) {
    run.pauseRequested = undefined
    await sequence(host, run, 'onTurnResume')
    return 'again'
  }
  // The handle of the loop is dropped in the tick in which the pause is published: a decision made
  // by a subscriber must start a loop of its own.
  run.isLooping = false
  const { outcome } = run
  run.outcome = Promise.withResolvers()
  store.patch({ requestState: 'paused' })
  outcome.resolve({ turnId: run.turnId, requestState: 'paused' })
  return 'over'
}

async function complete<MESSAGE extends UIMessage>(
  host: TurnHost<MESSAGE>,
  run: Run,
): Promise<'again' | 'over'> {
  closeTurnMessages(host, {
    text: 'Not executed: no tool of this name runs here.',
    ended: 'interrupted',
  })
  await sequence(host, run, 'onTurnEnd')
  if (!run.isAlive) return 'over'
  if (run.isNextRequested || run.pauseRequested) return 'again'
  host.finish(run)
  return 'over'
}

function closeAtBound<MESSAGE extends UIMessage>(host: TurnHost<MESSAGE>): void {
  const isAnyOpen = closeTurnMessages(host, {
    text: `Not executed: this turn has used up its ${host.store.getState().turn?.maxSteps} steps.`,
    ended: 'interrupted',
  })
  if (isAnyOpen) patchTurn(host, { notice: 'max-steps' })
}

function isAtBound<MESSAGE extends UIMessage>({ store }: TurnHost<MESSAGE>): boolean {
  const { turn } = store.getState()
  return turn !== undefined && turn.step >= turn.maxSteps
}

function stepsOf<MESSAGE extends UIMessage>({ store }: TurnHost<MESSAGE>): number {
  return store.getState().turn?.step ?? 0
}

async function sequence<MESSAGE extends UIMessage>(
  host: TurnHost<MESSAGE>,
  run: Run,
  hook: 'onTurnStart' | 'onTurnResume' | 'onTurnPause' | 'onTurnEnd',
): Promise<void> {
  const context = createContext(host, run)
  await runHooks(
    host.plugins,
    hook,
    (plugin) => plugin[hook]?.(context),
    () => run.isAlive,
  )
}
