import type { Conversations } from './conversations.ts'
import type { StorageChanges, StorageWriteOptions, StorageWriteResult } from './storage.ts'

/** Conversations that pages at several servers, and workers, share: for `createConversationServer`. */
export interface SharedConversations extends Conversations {
  /**
   * Writes as `storage.write` does, for a page of this user: where the backend keeps an audit, that notes in the
   * same transaction what the records say.
   */
  writeFor(
    user: string,
    namespace: string,
    changes: StorageChanges,
    options?: SharedWriteOptions,
  ): Promise<StorageWriteResult>
  /**
   * Calls back when a conversation may be free to hold: let go, or of a process that is gone. Returns
   * how to listen no more.
   */
  onFree(conversation: ConversationName, listener: () => void): () => void
  /** What is said about conversations in one process, for the others. */
  readonly channels: ChannelTable
}

/** Options of a write for a page. */
export interface SharedWriteOptions extends StorageWriteOptions {
  /** Who made the decisions in it, by their ids, where that is not the user who writes. */
  readonly decidedBy?: ReadonlyMap<string, DecidedBy>
}

/** Who decided, and who was asked. */
export interface DecidedBy {
  readonly who: string
  readonly requester: string
}

/** Which conversation: ids are an owner's, where there is one. */
export interface ConversationName {
  readonly conversationId: string
  /** Whose it is: the engine's option `owner`. Default: nobody's. */
  readonly conversationOwner?: string | undefined
}

/**
 * What processes say to each other on channels. It may lose something (a crash of the database, a process
 * that stood still), and says so; it never changes the order, or shows a text to one that came later.
 */
export interface ChannelTable {
  /** This process reads these, and still does; to be said again every `beatMs`. */
  join(channels: readonly string[]): Promise<void>
  leave(channels: readonly string[]): Promise<void>
  add(said: readonly SaidOnChannel[]): Promise<void>
  /** What others have said after a place; nothing, but the place, for one that has none yet. */
  read(places: ReadonlyMap<string, ChannelPlace | undefined>): Promise<readonly ChannelNews[]>
  /** Calls back with channels to read, or with none for all of them. Returns how to listen no more. */
  onNews(listener: (channels: readonly string[] | undefined) => void): () => void
  /** How often to say what is joined, in milliseconds; who does not for three times that is gone. */
  readonly beatMs: number
  /** Aborts when nothing can be said any more. */
  readonly closed: AbortSignal
}

/** A text for all others on a channel. */
export interface SaidOnChannel {
  readonly channel: string
  readonly text: string
}

/** How far a channel was read. It is another channel of the same name when `born` is another number. */
export interface ChannelPlace {
  readonly born: number
  readonly seq: number
}

/** What is new on a channel. */
export interface ChannelNews {
  readonly channel: string
  readonly place: ChannelPlace
  /** How many other processes read it. */
  readonly others: number
  readonly texts: readonly string[]
  /** Something was said that is no longer there. */
  readonly isMissed: boolean
}
