import type { UIMessage } from 'ai'
import { EngineError } from '../errors.ts'
import type { MessageEngine } from '../message-engine.ts'
import type { EngineState } from '../state.ts'
import {
  carryOut,
  errorOf,
  failure,
  toSentResult,
  type CallRequest,
  type CallResult,
} from './calls.ts'
import type { ChannelMessage, Said } from './channel-messages.ts'
import { changeBetween, toSentState } from './state-change.ts'

export interface ServeOptions<MESSAGE extends UIMessage> {
  readonly engine: MessageEngine<MESSAGE>
  readonly term: number
  readonly say: (message: Said<MESSAGE>) => void
  /** Why something that is asked for is not carried out, if it is not. */
  readonly refuse?: ((request: CallRequest<MESSAGE>) => EngineError | undefined) | undefined
}

/** The holder's side of the channel. */
export interface MirrorService<MESSAGE extends UIMessage> {
  receive(message: ChannelMessage<MESSAGE>): void
  /** Something that was said may have got lost: all are told the whole. */
  onMissed(): void
  term(): number
  /** Whether any other tab has been heard that has not said goodbye. */
  isWatched(): boolean
  stop(): void
}

/** Of so many calls is known what they came to. */
const MOST_ANSWERS = 1_000

/** Shows other tabs the state of an engine, and carries out what they ask for. */
export function serveMirrors<MESSAGE extends UIMessage>({
  engine,
  say,
  refuse = () => undefined,
  ...options
}: ServeOptions<MESSAGE>): MirrorService<MESSAGE> {
  /** Those that were heard, and whether they know how a part grows. */
  const mirrors = new Map<string, boolean>()
  let { term } = options
  let seq = 0
  /** The last change that nobody was told of. */
  let untold = 0
  /** What those that listen have; none when nobody does, so that no state is made for nobody. */
  let told: EngineState<MESSAGE> | undefined
  let isStopped = false
  /** What became of the last calls: one that arrives again is not carried out again. */
  const answers = new Map<string, Promise<CallResult>>()

  /** The whole, for one or for all; all others have what came before it. */
  function tellAgain(to?: string): void {
    if (told) publish()
    snapshot(to)
  }

  function snapshot(to?: string): void {
    const state = engine.getState()
    told = state
    const sent = toSentState(state)
    say({ type: 'snapshot', term, seq, state: sent, ...(to !== undefined && { to }) })
  }

  /** One message per publication, and none when nobody listens. */
  function publish(): void {
    if (isStopped) return
    if (mirrors.size === 0) {
      seq++
      untold = seq
      told = undefined
      return
    }
    const before = told
    const state = engine.getState()
    if (state === before) return
    seq++
    told = state
    if (!before) return snapshot()
    const isGrowthKnown = [...mirrors.values()].every(Boolean)
    say({ type: 'change', term, seq, change: changeBetween(before, state, isGrowthKnown) })
  }

  /** A term that is not the greatest is not believed: its holder has begun without knowing of another. */
  function riseAbove(other: number): void {
    term = other + 1
    snapshot()
  }

  async function answer(to: string, callId: string, request: CallRequest<MESSAGE>): Promise<void> {
    const answering = answers.get(callId) ?? begin(request)
    remember(callId, answering)
    const result = await answering
    // It is asked again when that is over.
    if (errorOf(result)?.code === 'busy') answers.delete(callId)
    if (isStopped) return
    // Who awaits it sees what it has changed.
    publish()
    try {
      say({ type: 'reply', to, callId, result: toSentResult(result) })
    } catch (cause) {
      const text = 'This was done, but what it came to cannot be sent to another tab.'
      const error = new EngineError('command_failed', text, { cause })
      const failed = failure(request, error, engine.getState().requestState)
      say({ type: 'reply', to, callId, result: toSentResult(failed) })
    }
  }

  async function begin(request: CallRequest<MESSAGE>): Promise<CallResult> {
    const refusal = refuse(request)
    if (!refusal) return carryOut(engine, request)
    return failure(request, refusal, engine.getState().requestState)
  }

  function remember(callId: string, answering: Promise<CallResult>): void {
    answers.delete(callId)
    answers.set(callId, answering)
    const [oldest] = answers.keys()
    if (answers.size > MOST_ANSWERS && oldest !== undefined) answers.delete(oldest)
  }

  const unsubscribe = engine.subscribe(publish)
  snapshot()

  return {
    term: () => term,
    isWatched: () => mirrors.size > 0,
    onMissed() {
      if (!isStopped) tellAgain()
    },
    receive(message) {
      const { from } = message
      switch (message.type) {
        case 'hello':
          mirrors.set(from, (message.revision ?? 0) >= 1)
          if (message.term > term) riseAbove(message.term)
          else if (message.term < term || message.seq === undefined || message.seq < untold) {
            tellAgain(from)
          }
          break
        case 'bye':
          mirrors.delete(from)
          break
        case 'call':
          if (message.term === term) void answer(from, message.callId, message.request)
          break
        case 'snapshot':
        case 'change':
          if (message.term > term) riseAbove(message.term)
          break
        case 'left':
        case 'reply':
          break
      }
    },
    stop() {
      isStopped = true
      unsubscribe()
      say({ type: 'left', term })
    },
  }
}
