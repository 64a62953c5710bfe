import type { CommandResult, EngineError } from '@assent/engine'
import type {
  ConversationListing,
  ConversationStorage,
  ExportedConversation,
  KeepOptions,
} from '@assent/engine/storage'
import type { UIMessage } from 'ai'
import type { ComputedRef, MaybeRefOrGetter } from 'vue'
import type { StandingPolicy } from './standing-policies.ts'
import type { NewEngineOptions } from './use-message-options.ts'
import type { UseMessageReturn } from './use-message.ts'

/** Options of `useConversations`. */
export interface UseConversationsOptions<MESSAGE extends UIMessage = UIMessage> {
  /**
   * Where the conversations are kept, such as `indexedDBStorage()`. When it is another one, all
   * conversations are closed and those of the other store are there.
   */
  storage: MaybeRefOrGetter<ConversationStorage>
  /**
   * The options of the engine of a conversation, as `useMessage` takes them; asked each time that one
   * is opened. Its `id`, `owner` and `storage` are of no account.
   */
  engine: (id: string) => NewEngineOptions<MESSAGE>
  /**
   * The conversation to begin with, and to open whenever this changes, such as one of a route.
   * Default: a new one.
   */
  id?: MaybeRefOrGetter<string | undefined>
  /**
   * Whose conversations these are, such as the id of the user: nothing of another owner is read or listed.
   * When it is another one, all conversations are closed and those of that owner are there. While it is
   * `undefined`, nobody is known, and nothing is read or stored. Without this option there are those
   * that were stored without an owner.
   */
  owner?: MaybeRefOrGetter<string | undefined>
  /** How often is written. */
  keep?: KeepOptions
  /**
   * Whether tabs share the conversations that they have open, with the store of `connectConversations` those of all
   * browsers: one has the engine, the others show the same. By default they do where there are Web Locks and the store's claims decide between all of its users
   * (`claims: 'store'`). `false`: each tab has engines of its own; with such a store none starts a call
   * that another one has started.
   */
  share?: boolean
  /** Milliseconds since the epoch. Default `Date.now`. */
  now?: () => number
  /** Default: random ids. */
  generateId?: () => string
}

/** The conversations of a store, and the one that is active. No function rejects. */
export interface UseConversationsReturn<MESSAGE extends UIMessage = UIMessage> {
  /**
   * Those that were read so far and have a message, the one that changed last first: the latest 50, and more by
   * `loadMore`. Empty on a server.
   */
  readonly conversations: ComputedRef<readonly ConversationListing[]>
  /** Whether the store has more than that. */
  readonly hasMore: ComputedRef<boolean>
  /** Whether the store was read, well or not. */
  readonly isLoaded: ComputedRef<boolean>
  /** The id of the active one; there is always one, if only a new one. */
  readonly active: ComputedRef<string>
  /** The active one. */
  readonly chat: UseMessageReturn<MESSAGE>
  /** What the last search found; `undefined` while nothing is searched for. */
  readonly found: ComputedRef<readonly ConversationListing[] | undefined>
  /** What is wrong with the store (`storage_failed`), as long as it is; all goes on in memory. */
  readonly error: ComputedRef<EngineError | undefined>
  /** The permissions that stand in every conversation, oldest first. */
  readonly everywherePolicies: ComputedRef<readonly StandingPolicy[]>
  /**
   * Makes a conversation the active one, at once; resolves when it is restored. An id that is not
   * stored is that of a new one. Fails with `unknown_conversation` when it was deleted.
   */
  open(id: string): Promise<CommandResult<string>>
  /** Makes a new conversation the active one. It is stored with its first message. */
  create(): string
  /** Opens the active one anew, by the engine options of now. What it does is ended. */
  reopen(): Promise<CommandResult<string>>
  /** Gives a title; an empty one takes it back. */
  rename(id: string, title: string): Promise<CommandResult<string>>
  /** Deletes for good, whatever it does at that moment. A new one follows the active one. */
  remove(id: string): Promise<CommandResult<string>>
  /**
   * Looks for a text in titles and messages; an empty one ends the search. To be debounced by who
   * calls it. What an earlier search still finds does not come after a later one.
   */
  search(text: string): Promise<CommandResult<readonly ConversationListing[]>>
  /** Reads the next 50 of the list, once at a time. */
  loadMore(): Promise<CommandResult<void>>
  /** Reads the list again, or one conversation of it, as after another tab has changed it. */
  refresh(id?: string): Promise<CommandResult<void>>
  /** A conversation as a file; one that is open also when the store fails. */
  exportConversation(id: string): Promise<CommandResult<ExportedConversation>>
  /** Adds a conversation from a file, a text or what JSON made of it. Answers with its id. */
  importConversation(file: unknown): Promise<CommandResult<string>>
  /**
   * Takes a permission that holds everywhere back, in the store and in the conversations that are
   * open here. Another tab that has one open learns of it when it opens one next.
   */
  revokeEverywhere(policyId: string): Promise<CommandResult<string>>
  /**
   * Stops everything in all conversations that are open here, also in the background: turns are aborted,
   * queues held, standing permissions suspended, those that hold everywhere in every conversation.
   */
  stopAll(): Promise<void>
  /** Lets permissions go on that were suspended, in all conversations that are open here: all, or one. */
  resumePolicies(policyId?: string): Promise<void>
  /**
   * Takes everything of the owner away, for a logout: what is open of it ends, also in the other tabs of a browser,
   * and a new conversation is there. Without an owner nothing happens.
   */
  clearOwner(): Promise<CommandResult<void>>
}
