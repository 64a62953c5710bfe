import type { SharedConversations } from '@assent/engine/storage'
import type { MayDecide } from '../chat/may-decide.ts'

/** Options of `createConversationServer`. */
export interface ConversationServerOptions {
  /** Where they are kept, and how processes share them: `sqliteConversations`, or one of PostgreSQL. */
  readonly conversations: SharedConversations
  /** After this long a conversation of a process that ended can be held by another one. Default 15,000. */
  readonly leaseMs?: number
  /**
   * Who may decide about a call, as for `createChatHandler`: asked once, where a decision comes in, by the `user` of the
   * page. `requester` is the user of the page that asked; `''` for a question that no page has asked, such as a
   * worker's. Default: every page that is connected.
   */
  readonly mayDecide?: MayDecide<string>
  /**
   * Commands of the app's own plugins that decide nothing, as `plugin.command`: with `mayDecide` all others of
   * theirs are refused. Default: none.
   */
  readonly freeCommands?: readonly string[]
  /** After so many milliseconds without an answer of `mayDecide` the decision is refused. Default 10,000. */
  readonly checkTimeoutMs?: number
  /** What failed here. Default: a warning of the process. */
  readonly onError?: (error: unknown) => void
}

/** A page that is connected, by a WebSocket or the like: texts arrive in order, or not at all. */
export interface ConnectedPage {
  /** To be called with each text that comes from it. */
  receive(text: string): void
  /** It is gone: what it held can be held by others. */
  close(): void
}

/** Keeps the conversations of pages, in any number of browsers. */
export interface ConversationServer {
  /**
   * @param page `user`: who it is, for `mayDecide` and the audit; `send` takes texts for it
   */
  connect(page: { readonly user: string; readonly send: (text: string) => void }): ConnectedPage
  /** Gives all conversations back. */
  close(): Promise<void>
}
