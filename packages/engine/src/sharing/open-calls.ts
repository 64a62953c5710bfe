import type { UIMessage } from 'ai'
import { EngineError } from '../errors.ts'
import type { MessageEngine } from '../message-engine.ts'
import type { EngineState } from '../state.ts'
import {
  afterTakeOver,
  isThere,
  outcomeOf,
  type TakeOverOptions,
  type UnansweredCall,
} from './after-take-over.ts'
import {
  carryOut,
  errorOf,
  failure,
  fromSentResult,
  opensTurn,
  type CallRequest,
  type CallResult,
} from './calls.ts'
import type { ChannelMessage, Said } from './channel-messages.ts'

export interface OpenCallsOptions<MESSAGE extends UIMessage> extends TakeOverOptions<MESSAGE> {
  readonly say: (message: Said<MESSAGE>) => void
  readonly now: () => number
  readonly newId: () => string
  readonly getState: () => EngineState<MESSAGE>
  readonly subscribe: (listener: () => void) => () => void
  /** Who carries out calls at the moment; `undefined` while that is not known. */
  readonly place: () => Place<MESSAGE> | undefined
}

/** Where calls are carried out: by the engine of this tab, or in a term of another tab. */
export type Place<MESSAGE extends UIMessage> = MessageEngine<MESSAGE> | number

/** The calls of one tab that have no answer yet. */
export interface OpenCalls<MESSAGE extends UIMessage> {
  /** Has a call carried out, as soon as it is known by whom. Never rejects. */
  make(request: CallRequest<MESSAGE>): Promise<CallResult>
  receive(reply: ChannelMessage<MESSAGE> & { type: 'reply' }): void
  /** There is a holder: what a former one did not answer is looked after, what this one did not is asked again. */
  onPlace(): void
  /** The state of another tab has changed. */
  onState(): void
  /** Those that no holder has are not carried out; no other holder opens a turn for the others. */
  abort(): void
  /** Those that this tab does not carry out itself end here. */
  dispose(error: EngineError): void
}

interface OpenCall<MESSAGE extends UIMessage> extends UnansweredCall<MESSAGE> {
  readonly id: string
  readonly settle: (result: CallResult) => void
  /** Who was asked. */
  place: Place<MESSAGE> | undefined
  isAborted: boolean
  isSeen: boolean
  isGone: boolean
  /** It was given before, to another holder. */
  isAgain: boolean
  /** Ends waiting for something in the state. */
  stopWaiting: (() => void) | undefined
}

export function createOpenCalls<MESSAGE extends UIMessage>(
  options: OpenCallsOptions<MESSAGE>,
): OpenCalls<MESSAGE> {
  const { say, now, newId, getState } = options
  const calls = new Map<string, OpenCall<MESSAGE>>()
  let isDisposed = false

  function settle(call: OpenCall<MESSAGE>, result: CallResult): void {
    if (!calls.delete(call.id)) return
    call.stopWaiting?.()
    call.settle(result)
  }

  function fail(call: OpenCall<MESSAGE>, error: EngineError): void {
    settle(call, failure(call.request, error, getState().requestState))
  }

  function give(call: OpenCall<MESSAGE>, isAgain = false): void {
    const place = options.place()
    call.place = place
    call.isAgain = isAgain
    if (place === undefined) return
    const { id: callId, request } = call
    if (typeof place === 'number') {
      try {
        say({ type: 'call', term: place, callId, request })
      } catch (cause) {
        const text = 'Another tab holds the conversation, and this cannot be sent to it as it is.'
        fail(call, new EngineError('invalid_argument', text, { cause }))
      }
      return
    }
    void carryOut(place, request).then((result) => {
      // What an engine answers that gave the conversation up says nothing: another one goes on.
      if (isDisposed || options.place() === place) answered(call, result)
    })
  }

  /** A command that is given again must not be refused for what it has brought about itself. */
  function answered(call: OpenCall<MESSAGE>, result: CallResult): void {
    if (!call.isAgain || errorOf(result)?.code !== 'busy') return settle(call, result)
    const { place } = call
    until(call, () => {
      if (options.place() !== place || isAnswering(getState())) return false
      give(call, true)
      return true
    })
  }

  function until(call: OpenCall<MESSAGE>, isReached: () => boolean): void {
    call.stopWaiting?.()
    const look = (): void => {
      if (isReached()) stop()
    }
    const stop = options.subscribe(look)
    call.stopWaiting = stop
    look()
  }

  function lookAfter(call: OpenCall<MESSAGE>): void {
    call.stopWaiting?.()
    call.stopWaiting = undefined
    const fate = afterTakeOver(call, getState(), options)
    if (fate === 'again') return give(call, true)
    if (!('watch' in fate)) return settle(call, fate)
    call.place = options.place()
    until(call, () => {
      const outcome = outcomeOf(fate.watch, getState())
      if (outcome) settle(call, { outcome })
      return outcome !== undefined
    })
  }

  return {
    make: (request) =>
      new Promise((resolve) => {
        const call: OpenCall<MESSAGE> = {
          id: newId(),
          request,
          calledAt: now(),
          settle: resolve,
          place: undefined,
          isAborted: false,
          isSeen: false,
          isGone: false,
          isAgain: false,
          stopWaiting: undefined,
        }
        calls.set(call.id, call)
        give(call)
      }),
    receive({ callId, result }) {
      const call = calls.get(callId)
      if (call) answered(call, fromSentResult(result))
    },
    onPlace() {
      const place = options.place()
      for (const call of calls.values()) {
        // An abort is of the turn that it was called on.
        if (call.place === undefined && call.request.method !== 'abort') give(call)
        else if (call.place !== place) lookAfter(call)
        // It may not have arrived. A holder that has had it only answers again.
        else if (typeof place === 'number' && !call.stopWaiting) give(call, call.isAgain)
      }
    },
    onState() {
      for (const call of calls.values()) {
        if (call.request.method !== 'sendMessage' || call.place === undefined) continue
        const isNow = isThere(getState(), call.request.message.id)
        call.isGone = call.isSeen && !isNow
        call.isSeen ||= isNow
      }
    },
    abort() {
      for (const call of calls.values()) {
        call.isAborted = true
        if (call.place !== undefined || !opensTurn(call.request.method)) continue
        fail(call, new EngineError('removed', 'This was aborted before it could begin.'))
      }
    },
    dispose(error) {
      isDisposed = true
      for (const call of calls.values()) {
        // The engine of this tab ends its own.
        if (typeof call.place !== 'object' || call.stopWaiting) fail(call, error)
      }
    },
  }
}

function isAnswering({ processingState }: EngineState): boolean {
  return processingState === 'requesting' || processingState === 'completing'
}
