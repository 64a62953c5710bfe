import type { UIMessage } from 'ai'
import { isDecision } from '../confirmation.ts'
import { EngineError } from '../errors.ts'
import { textOf } from '../message/message-input.ts'
import type { WhenBusy } from '../message-engine.ts'
import type { EnginePlugin } from '../plugin.ts'
import type { EngineState, TurnOutcome } from '../state.ts'
import { failure, type CallRequest, type CallResult } from './calls.ts'

/** A call whose holder ended before it had answered. */
export interface UnansweredCall<MESSAGE extends UIMessage> {
  readonly request: CallRequest<MESSAGE>
  /** Milliseconds since the epoch. */
  readonly calledAt: number
  /** This tab aborted after it. */
  readonly isAborted: boolean
  /** What it sent was seen in the conversation, and then was not any more. */
  readonly isGone: boolean
}

/** What of the engine's options counts here. */
export interface TakeOverOptions<MESSAGE extends UIMessage> {
  readonly plugins?: readonly EnginePlugin<MESSAGE>[]
  readonly whenBusy?: WhenBusy
}

/**
 * What becomes of an unanswered call under another holder, by what is in the conversation:
 *
 * - `again` it was not carried out, or doing the same again changes nothing: it is given again
 * - `watch` it was carried out: how its turn stands is seen in the state, see {@link outcomeOf}
 * - a result: it is known what it came to, or that nobody knows (`holder_lost`)
 */
export function afterTakeOver<MESSAGE extends UIMessage>(
  call: UnansweredCall<MESSAGE>,
  state: EngineState<MESSAGE>,
  options: TakeOverOptions<MESSAGE>,
): 'again' | { watch: string | undefined } | CallResult {
  const { request } = call
  switch (request.method) {
    case 'sendMessage':
      if (isThere(state, request.message.id)) return { watch: request.message.id }
      if (isReason(call, request.message, state, options)) return { watch: undefined }
      return call.isAborted || call.isGone
        ? failure(request, removed(), state.requestState)
        : 'again'
    case 'setDraft':
    case 'stopAll':
    case 'loadEarlier':
      return 'again'
    case 'runPluginCommand':
      return isRepeatable(request, options) ? 'again' : failure(request, lost(), state.requestState)
    case 'abort':
      return isOpen(state) && state.turn?.id === request.turnId ? 'again' : { done: true }
    case 'editQueued':
    case 'removeQueued':
    case 'sendQueued':
    case 'moveQueued':
    case 'holdQueued':
      return state.queue.some(({ id }) => id === request.queuedId) ? 'again' : { done: true }
    case 'regenerate':
    case 'editMessage':
    case 'retry':
    case 'reconnect':
    case 'setMessages':
      return failure(request, lost(), state.requestState)
  }
}

/**
 * How the turn of a message stands that was sent, or, without one, the last turn; `undefined` as long
 * as it goes on or waits to begin.
 */
export function outcomeOf<MESSAGE extends UIMessage>(
  messageId: string | undefined,
  state: EngineState<MESSAGE>,
): TurnOutcome | undefined {
  const { requestState, turn, error } = state
  if (messageId !== undefined) {
    if (isQueued(state, messageId)) return undefined
    if (!isThere(state, messageId)) return { turnId: undefined, requestState, error: removed() }
    if (turn?.userMessageId !== messageId) {
      return { turnId: undefined, requestState, error: lost() }
    }
  }
  if (requestState === 'processing') return undefined
  return { turnId: turn?.id, requestState, ...(error && { error }) }
}

/** Whether a message is in the conversation or waits to be. */
export function isThere<MESSAGE extends UIMessage>(
  state: EngineState<MESSAGE>,
  messageId: string,
): boolean {
  return state.messageIds.lastIndexOf(messageId) !== -1 || isQueued(state, messageId)
}

function isQueued<MESSAGE extends UIMessage>(
  { queue }: EngineState<MESSAGE>,
  messageId: string,
): boolean {
  return queue.some(({ id }) => id === messageId)
}

/** Whether its text has become the reason of a denial, in place of being sent. */
function isReason<MESSAGE extends UIMessage>(
  { calledAt }: UnansweredCall<MESSAGE>,
  message: MESSAGE,
  { confirmations }: EngineState<MESSAGE>,
  { whenBusy }: TakeOverOptions<MESSAGE>,
): boolean {
  if (whenBusy !== 'deny') return false
  const reason = textOf(message)
  return confirmations.some(
    (record) => isDecision(record) && record.reason === reason && record.at >= calledAt,
  )
}

function isRepeatable<MESSAGE extends UIMessage>(
  { plugin, command }: CallRequest<MESSAGE> & { method: 'runPluginCommand' },
  { plugins = [] }: TakeOverOptions<MESSAGE>,
): boolean {
  const named = plugins.findLast(({ name }) => name === plugin)
  return named?.repeatableCommands?.includes(command) ?? false
}

function isOpen({ requestState }: EngineState): boolean {
  return requestState === 'processing' || requestState === 'paused'
}

function removed(): EngineError {
  return new EngineError('removed', 'The message was taken back before it was sent.')
}

function lost(): EngineError {
  const text =
    'The tab that held the conversation ended; whether it did this is not known: look, then try again.'
  return new EngineError('holder_lost', text, { retryable: true })
}
