import type { JSONValue, UIMessage } from 'ai'
import type { CommandResult } from '../commands.ts'
import type { DraftSubject } from '../drafts.ts'
import { toEngineError, type EngineError } from '../errors.ts'
import type { MessageEngine } from '../message-engine.ts'
import type { TurnOutcome } from '../state.ts'
import type { TurnRequestOptions } from '../transport/transport.ts'
import { fromSentError, toSentError, type SentError } from './sent-error.ts'

/** A call of a method of the engine, as one tab asks another to carry it out. */
export type CallRequest<MESSAGE extends UIMessage> =
  | { readonly method: 'sendMessage'; readonly message: MESSAGE; readonly options: Options }
  | { readonly method: 'regenerate'; readonly options: Options & { messageId?: string } }
  | {
      readonly method: 'editMessage'
      readonly messageId: string
      readonly message: MESSAGE
      readonly options: Options
    }
  | { readonly method: 'retry' | 'reconnect'; readonly options: Options }
  /** With the turn that is open where it was called. */
  | { readonly method: 'abort'; readonly turnId: string | undefined }
  | { readonly method: 'stopAll' | 'loadEarlier' }
  | { readonly method: 'setMessages'; readonly messages: readonly MESSAGE[] }
  | { readonly method: 'editQueued'; readonly queuedId: string; readonly message: MESSAGE }
  | { readonly method: 'removeQueued' | 'sendQueued'; readonly queuedId: string }
  | { readonly method: 'moveQueued'; readonly queuedId: string; readonly toIndex: number }
  | { readonly method: 'holdQueued'; readonly queuedId: string; readonly held: boolean }
  | {
      readonly method: 'setDraft'
      readonly key: string
      readonly draft: JSONValue | undefined
      readonly about: DraftSubject | undefined
    }
  | {
      readonly method: 'runPluginCommand'
      readonly plugin: string
      readonly command: string
      readonly payload: unknown
    }

type Options = TurnRequestOptions

/** What a call came to: of those that open turns, of commands, and of the others. */
export type CallResult =
  | { readonly outcome: TurnOutcome }
  | { readonly command: CommandResult }
  | { readonly done: true; readonly error?: EngineError }

/** A {@link CallResult} on its way to another tab. */
export type SentResult =
  | { readonly outcome: Omit<TurnOutcome, 'error'>; readonly error: SentError | undefined }
  | { readonly success: true; readonly result: unknown }
  | { readonly success: false; readonly error: SentError }
  | { readonly done: true; readonly error: SentError | undefined }

/** Calls the method at once. Never rejects. */
export async function carryOut<MESSAGE extends UIMessage>(
  engine: MessageEngine<MESSAGE>,
  request: CallRequest<MESSAGE>,
): Promise<CallResult> {
  switch (request.method) {
    case 'sendMessage':
      return { outcome: await engine.sendMessage(request.message, request.options) }
    case 'regenerate':
      return { outcome: await engine.regenerate(request.options) }
    case 'editMessage': {
      const { messageId, message, options } = request
      return { outcome: await engine.editMessage(messageId, message, options) }
    }
    case 'retry':
      return { outcome: await engine.retry(request.options) }
    case 'reconnect':
      return { outcome: await engine.reconnect(request.options) }
    case 'abort':
      await engine.abort()
      return { done: true }
    case 'stopAll':
      await engine.stopAll()
      return { done: true }
    case 'loadEarlier':
      await engine.loadEarlier()
      return { done: true }
    case 'setMessages':
      return attempt(() => engine.setMessages(request.messages))
    case 'editQueued':
      return attempt(() => engine.editQueued(request.queuedId, request.message))
    case 'removeQueued':
      return attempt(() => engine.removeQueued(request.queuedId))
    case 'sendQueued':
      return attempt(() => engine.sendQueued(request.queuedId))
    case 'moveQueued':
      return attempt(() => engine.moveQueued(request.queuedId, request.toIndex))
    case 'holdQueued':
      return attempt(() => engine.holdQueued(request.queuedId, request.held))
    case 'setDraft':
      return attempt(() => engine.setDraft(request.key, request.draft, request.about))
    case 'runPluginCommand': {
      const { plugin, command, payload } = request
      return { command: await engine.runPluginCommand(plugin, command, payload) }
    }
  }
}

function attempt(change: () => void): CallResult {
  try {
    change()
    return { done: true }
  } catch (error) {
    return { done: true, error: toEngineError(error, 'command_failed') }
  }
}

/** The error that a call came to, if it came to one. */
export function errorOf(result: CallResult): EngineError | undefined {
  if ('outcome' in result) return result.outcome.error
  if ('done' in result) return result.error
  return result.command.success ? undefined : result.command.error
}

/** What a call comes to that cannot be carried out, in the form of its method. */
export function failure<MESSAGE extends UIMessage>(
  { method }: CallRequest<MESSAGE>,
  error: EngineError,
  requestState: TurnOutcome['requestState'],
): CallResult {
  if (method === 'runPluginCommand') return { command: { success: false, error } }
  if (opensTurn(method)) return { outcome: { turnId: undefined, requestState, error } }
  return { done: true, error }
}

const OPENING: readonly string[] = [
  'sendMessage',
  'regenerate',
  'editMessage',
  'retry',
  'reconnect',
]

/** Whether a method answers with how a turn stands. */
export function opensTurn(method: CallRequest<UIMessage>['method']): boolean {
  return OPENING.includes(method)
}

export function toSentResult(result: CallResult): SentResult {
  if ('outcome' in result) {
    const { error, ...outcome } = result.outcome
    return { outcome, error: error && toSentError(error) }
  }
  if ('done' in result) return { done: true, error: result.error && toSentError(result.error) }
  const { command } = result
  return command.success ? command : { success: false, error: toSentError(command.error) }
}

export function fromSentResult(sent: SentResult): CallResult {
  if ('outcome' in sent) {
    const error = sent.error && fromSentError(sent.error)
    return { outcome: { ...sent.outcome, ...(error && { error }) } }
  }
  if ('done' in sent) {
    return { done: true, ...(sent.error && { error: fromSentError(sent.error) }) }
  }
  if (sent.success) return { command: sent }
  return { command: { success: false, error: fromSentError(sent.error) } }
}
