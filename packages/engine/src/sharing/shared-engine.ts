import type { UIMessage } from 'ai'
import type { ToolCallRef } from '../message/tool-part.ts'
import type { MessageEngine, MessageEngineOptions } from '../message-engine.ts'
import type { EngineStorage } from '../persistence.ts'
import type { SharingEnvironment } from './environment.ts'

/** Options of `createSharedEngine`: an engine's, and what tabs are shared by. */
export interface SharedEngineOptions<MESSAGE extends UIMessage = UIMessage>
  extends MessageEngineOptions<MESSAGE>, SharingEnvironment {
  id: string
  storage: EngineStorage
  /**
   * The name of lock and channel. Default `assent:<id>`, with the owner in it where there is one; to be given where several apps of one origin
   * have conversations of the same ids in different stores.
   */
  name?: string
}

/**
 * - `holder` the engine runs here
 * - `mirror` it runs in another tab, or it is not known yet where
 */
export type SharingRole = 'holder' | 'mirror'

/** A {@link MessageEngine} that runs in one tab at a time, and looks the same in all of them. */
export interface SharedEngine<
  MESSAGE extends UIMessage = UIMessage,
> extends MessageEngine<MESSAGE> {
  /** Subscribers are told when it changes. */
  role(): SharingRole
  /**
   * Whether a tool call was decided in another tab, while this one was open: what a card can say when
   * its buttons come too late. Decisions from before count as nobody's in particular.
   */
  isDecidedElsewhere(call: ToolCallRef): boolean
}
