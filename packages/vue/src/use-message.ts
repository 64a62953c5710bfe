import type {
  EngineError,
  EngineState,
  MessageEngine,
  ProcessingState,
  QueuedMessage,
  RequestState,
  ToolCallConfirmation,
  TurnState,
} from '@assent/engine'
import type { UIMessage } from 'ai'
import type { ComputedRef, ShallowRef } from 'vue'

type EngineMethods<MESSAGE extends UIMessage> = Pick<
  MessageEngine<MESSAGE>,
  | 'sendMessage'
  | 'regenerate'
  | 'editMessage'
  | 'retry'
  | 'reconnect'
  | 'abort'
  | 'editQueued'
  | 'removeQueued'
  | 'sendQueued'
  | 'runPluginCommand'
>

/** A conversation as refs and functions. */
export interface UseMessageReturn<
  MESSAGE extends UIMessage = UIMessage,
> extends EngineMethods<MESSAGE> {
  /** The engine underneath; another one after the option `id` changed. */
  readonly engine: Readonly<ShallowRef<MessageEngine<MESSAGE>>>
  readonly id: ComputedRef<string>
  /** All messages; changes with every publication. Lists use `messageIds` and `message(id)`. */
  readonly messages: Readonly<ShallowRef<readonly MESSAGE[]>>
  /** The ids in order; changes only when a message comes or goes. */
  readonly messageIds: Readonly<ShallowRef<readonly string[]>>
  /** One message as a ref of its own, so that a streaming token re-renders one bubble. */
  message(messageId: string): Readonly<ShallowRef<MESSAGE | undefined>>
  readonly requestState: ComputedRef<RequestState>
  readonly processingState: ComputedRef<ProcessingState | undefined>
  readonly isProcessing: ComputedRef<boolean>
  readonly isPaused: ComputedRef<boolean>
  readonly error: ComputedRef<EngineError | undefined>
  readonly turn: ComputedRef<TurnState | undefined>
  readonly queue: ComputedRef<readonly QueuedMessage<MESSAGE>[]>
  readonly confirmations: ComputedRef<readonly ToolCallConfirmation[]>
  /** The whole snapshot, as `engine.getState()` gives it. */
  readonly state: Readonly<ShallowRef<EngineState<MESSAGE>>>
}
