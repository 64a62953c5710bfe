import type { UIMessage } from 'ai'
import type { EngineError } from '../errors.ts'
import type { EngineState } from '../state.ts'

/** What is kept of a conversation: the facts from which it goes on. */
export interface StoredConversation<MESSAGE extends UIMessage = UIMessage> extends Pick<
  EngineState<MESSAGE>,
  | 'requestState'
  | 'processingState'
  | 'messages'
  | 'earlier'
  | 'turn'
  | 'queue'
  | 'confirmations'
  | 'drafts'
> {
  /** Why the last turn failed, while `requestState` is `error`. */
  readonly error?: EngineError | undefined
}
