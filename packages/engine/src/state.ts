import type { FinishReason, UIMessage } from 'ai'
import type { ConfirmationRecord } from './confirmation.ts'
import type { Draft } from './drafts.ts'
import type { EngineError } from './errors.ts'
import type { ToolCallRef } from './message/tool-part.ts'
import type { TurnRequestOptions } from './transport/transport.ts'

/** Where a conversation stands. */
export type RequestState = 'idle' | 'processing' | 'paused' | 'completed' | 'aborted' | 'error'

/** What is being done, only while `requestState` is `processing`. */
export type ProcessingState = 'requesting' | 'completing' | 'calling-tools' | 'pausing'

/**
 * Why a turn is paused. `approval` (a decision is missing) and `output` (a call waits for the answer
 * of a person or the app) are the tool plugin's; plugins may use their own words.
 */
export interface PauseReason {
  readonly type: string
  /** The calls that wait, in call order. */
  readonly toolCalls?: readonly ToolCallRef[]
}

/**
 * The facts beside the messages from which a turn's position is read. Serialisable.
 * It is open while `requestState` is `processing` or `paused`, else it is the last one.
 */
export interface TurnState extends ResponseEnd {
  readonly id: string
  /** The user message that opened it; none when the turn was opened by restored messages. */
  readonly userMessageId?: string
  /** What its requests carry that was given with it, so that they do after a reload. */
  readonly request?: KeptRequest
  /** The assistant message that its steps write to. */
  readonly assistantMessageId?: string
  /** Requests made so far. */
  readonly step: number
  /** The step that was begun last; what a retry drops. */
  readonly lastStep?: StepMark
  /** Requests allowed in this turn. */
  readonly maxSteps: number
  /** Calls settled or decided here that no request has carried yet. */
  readonly unsent: readonly ToolCallRef[]
  /** What requests have carried without an answer so far: what became of it is open. */
  readonly underWay?: readonly ToolCallRef[]
  /** Requests before it whose answers were left, so that a server need not go on with them. */
  readonly supersedes?: readonly string[] | undefined
  /** Set while decisions wait to be sent again, to a server whose ledger knows what it was sent. */
  readonly sending?: Resending | undefined
  readonly pauseReason?: PauseReason
  /** What it waits for, once that has lasted about a second; never stored. */
  readonly waitingFor?: WaitingFor
  /**
   * A call of it was interrupted, so that its outcome is unknown: the turn ends before the model is
   * asked again, unless a person decides something meanwhile.
   */
  readonly isRepaired?: boolean
  /** Set when the turn ended for another reason than a final answer. */
  readonly notice?: TurnNotice
  /** What plugins keep with `setCustomContext`; survives a pause. */
  readonly customContext: Readonly<Record<string, unknown>>
}

/**
 * What a turn can wait for: the first sign of a response, the next one of a stream, the store, the
 * app's code about one call, or a plugin's hook. More types may be added.
 */
export type WaitSubject =
  | { readonly type: 'response' | 'stream' }
  | { readonly type: 'storage'; readonly operation: 'read' | 'write' }
  | {
      readonly type: 'rule' | 'schema' | 'preview' | 'tool'
      readonly toolName: string
      readonly toolCall: ToolCallRef
    }
  | { readonly type: 'hook'; readonly plugin: string; readonly hook: string }

/** What a turn waits for, and since when: milliseconds since the epoch. */
export type WaitingFor = WaitSubject & { readonly since: number }

/** Decisions that a ledger has not answered are sent until it does. */
export interface Resending {
  /** How often that was in vain. */
  readonly failures: number
  /** How often in a row the server itself answered with an error. */
  readonly errors: number
  /** When they are sent next: milliseconds since the epoch. */
  readonly nextAt: number
}

/** What was given with a message for its requests, but the headers: secrets are not kept. */
export type KeptRequest = Readonly<Pick<TurnRequestOptions, 'body' | 'metadata'>>

/** How the last response of a turn ended. */
export interface ResponseEnd {
  /** By its own `finish`; none while it is on its way. */
  readonly finishReason?: FinishReason | undefined
  /** The same in the provider's words, where the server forwards `messageMetadata.rawFinishReason`. */
  readonly rawFinishReason?: string | undefined
  /** What the turn has used, where the server forwards `messageMetadata.totalUsage`. */
  readonly usage?: TurnUsage | undefined
}

/** Tokens of all responses of a turn, as far as they were told; the names are the AI SDK's. */
export interface TurnUsage {
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly totalTokens?: number
  readonly inputTokenDetails?: {
    readonly noCacheTokens?: number
    readonly cacheReadTokens?: number
    readonly cacheWriteTokens?: number
  }
  readonly outputTokenDetails?: {
    readonly textTokens?: number
    readonly reasoningTokens?: number
  }
}

/**
 * Why a turn ended without a whole answer: it used up its steps, or how often an unfinished step may
 * be continued; the same call came again and again; the answer was cut at its greatest length, or by a filter; the model declined; or it
 * said nothing.
 */
export type TurnNotice =
  | 'max-steps'
  | 'max-continuations'
  | 'repeated-calls'
  | 'length'
  | 'content-filter'
  | 'refusal'
  | 'empty'

/** A step, and where its stream began to write. */
export interface StepMark {
  /** Counted from 1. */
  readonly step: number
  /** `undefined` as long as it has not written to any message. */
  readonly messageId: string | undefined
  /** How many parts that message had before. */
  readonly partCount: number
  /** Its stream has come to its proper end. */
  readonly isEnded?: boolean
  /** It has, and there is nothing of it to see. */
  readonly isEmpty?: boolean
}

/** How a turn stands when the promise of what started it settles. */
export interface TurnOutcome extends ResponseEnd {
  /** `undefined` when no turn was opened. */
  turnId: string | undefined
  requestState: RequestState
  /** Why the turn ended without a whole answer. */
  notice?: TurnNotice
  /** Why nothing was started, or why the turn failed. */
  error?: EngineError
}

/** A message that waits for its turn. */
export interface QueuedMessage<MESSAGE extends UIMessage = UIMessage> {
  readonly id: string
  readonly message: MESSAGE
  readonly request?: KeptRequest
  /** Set after an abort or error: it stays until it is sent or removed by hand. */
  readonly held: boolean
}

/** Messages that stand before those of the state, and were not read yet. */
export interface EarlierMessages {
  /** How many there are. */
  readonly count: number
  /** What a list calls the conversation: it begins with them. */
  readonly title: string
}

/** An immutable snapshot of a conversation; identity changes only when the content did. */
export interface EngineState<MESSAGE extends UIMessage = UIMessage> {
  readonly requestState: RequestState
  /** `undefined` unless `requestState` is `processing`. */
  readonly processingState: ProcessingState | undefined
  readonly messages: readonly MESSAGE[]
  /**
   * Set while only the last messages were read: `loadEarlier` reads those before them. Nothing is under
   * way then, and whatever begins a turn reads them first.
   */
  readonly earlier?: EarlierMessages | undefined
  /** The ids of `messages`; identity changes only when the list itself did, not with a token. */
  readonly messageIds: readonly string[]
  readonly error: EngineError | undefined
  readonly turn: TurnState | undefined
  readonly queue: readonly QueuedMessage<MESSAGE>[]
  /** Every decision on a tool call and what became of standing ones, in order; only grows. */
  readonly confirmations: readonly ConfirmationRecord[]
  /** What a person has begun and not sent. */
  readonly drafts: readonly Draft[]
}

/** A request state, or what is being done while it is `processing`. */
type Position = Exclude<RequestState, 'processing'> | ProcessingState

/** The legal moves between request states; any other is a bug and throws. */
const MOVES: Readonly<Record<Position, readonly Position[]>> = {
  idle: ['requesting', 'completing', 'calling-tools', 'paused', 'aborted'],
  // Other messages make it a conversation in which nothing has been asked yet.
  completed: ['requesting', 'completing', 'idle'],
  aborted: ['requesting', 'completing', 'idle'],
  error: ['requesting', 'completing', 'calling-tools', 'idle'],
  paused: ['calling-tools', 'requesting', 'aborted', 'error'],
  // Not every step begins with a request: a turn that goes on may find calls to run first.
  requesting: ['completing', 'calling-tools', 'pausing', 'completed', 'aborted', 'error'],
  completing: ['calling-tools', 'requesting', 'pausing', 'completed', 'aborted', 'error'],
  'calling-tools': ['requesting', 'pausing', 'completed', 'aborted', 'error'],
  pausing: ['paused', 'calling-tools', 'requesting', 'completed', 'aborted', 'error'],
}

type Standing = Pick<EngineState, 'requestState' | 'processingState' | 'earlier'>

/** Where a state stands in the table of moves. */
export function positionOf({ requestState, processingState = 'requesting' }: Standing): Position {
  return requestState === 'processing' ? processingState : requestState
}

/** Whether the table of moves allows to go from one state to another. Staying is no move. */
export function canMove(from: Standing, to: Standing): boolean {
  const [here, there] = [positionOf(from), positionOf(to)]
  if (here === there) return true
  // No turn is open on a part of the conversation.
  return (
    MOVES[here].includes(there) &&
    !(to.earlier && ['processing', 'paused'].includes(to.requestState))
  )
}
