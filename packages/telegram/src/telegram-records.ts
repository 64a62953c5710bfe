import type { JSONValue } from 'ai'
import type { Update } from 'grammy/types'

/**
 * What channels must not forget, as a small contract: `sqliteTelegramRecords(database)`,
 * `postgresTelegramRecords(database)`, or one of your own. What resolves is durable. Times that these
 * note and compare themselves are by their own clock; those that a channel hands in are the channel's,
 * in milliseconds since the epoch.
 */
export interface TelegramRecords {
  /** Those of one bot; nothing of another one is in them. */
  ofBot(botId: number): BotRecords
}

/** What the channel of one bot must not forget. */
export interface BotRecords {
  readonly updates: UpdateRecords
  readonly messages: MessageRecords
  readonly asks: AskRecords
  readonly replies: ReplyRecords
  readonly drafts: DraftRecords
  readonly notices: NoticeRecords
  readonly places: PlaceRecords
  readonly chats: ChatRecords
}

/** The updates of a bot, each taken in once. */
export interface UpdateRecords {
  /** From which update on to ask; none when that cannot be told any more, after six days without any. */
  nextOffset(): Promise<number | undefined>
  /**
   * Keeps updates, those that were asked for together with the offset after them: what has been kept is
   * never asked for again, and what has not been is. Answers with those that were not there yet.
   */
  keep(updates: readonly Update[], source: 'polling' | 'webhook'): Promise<Update[]>
  /** Those that are not dealt with, in order. */
  open(): Promise<Update[]>
  /** Says that one is dealt with. Its content is forgotten. */
  close(updateId: number): Promise<void>
}

/** A message that became a task. */
export interface TakenMessage {
  readonly taskId: string
  readonly conversationId: string
  readonly chatId: number
  readonly userId: number
  readonly messageId: number
  readonly takenAt: number
}

/** The messages that became tasks. */
export interface MessageRecords {
  /** Notes a message before its task is added; `false` when that was noted before. */
  take(message: TakenMessage): Promise<boolean>
  has(taskId: string): Promise<boolean>
  /** Says that the task is over; `false` when that was said before. */
  end(taskId: string): Promise<boolean>
  /** Those of which that was not said: of a conversation, or of a chat since a time; oldest first. */
  openOf(conversationId: string): Promise<TakenMessage[]>
  openInChat(chatId: number, since: number): Promise<TakenMessage[]>
  /** Of every conversation the first that is open. */
  heads(): Promise<TakenMessage[]>
  /** When those of a chat or user were taken since a time, oldest first. */
  takenSince(by: 'chat' | 'user', id: number, since: number): Promise<number[]>
  /** Whether one was taken after it in the same conversation. */
  hasLater(taskId: string): Promise<boolean>
}

/** What a person decided about a call, and who it was. */
export interface KeptDecision {
  readonly outcome: 'yes' | 'yes_always' | 'no' | 'answered'
  /** With `yes_always`: which calls it covers. */
  readonly covers?: 'tool' | 'input'
  /** Why not, or the answer itself. */
  readonly words?: string
  /** `undefined` when nobody decided in time, or nobody could be asked. */
  readonly userId?: number
  readonly userName: string
  readonly at: number
}

/** A question to a person about one call, before it is asked. */
export interface NewAskRecord {
  /** By chance; what its buttons are known by. */
  readonly token: string
  readonly chatId: number
  readonly taskId: string
  readonly callKey: string
  /** From 0; a call is asked about again when a decision could not be taken. */
  readonly round: number
  readonly call: JSONValue
  readonly askedAt: number
  readonly expiresAt: number | undefined
}

/** The same as it is kept. */
export interface AskRecord extends Omit<NewAskRecord, 'askedAt'> {
  /** Of the message with the buttons; `undefined` until it is known to be there. */
  readonly messageId: number | undefined
  /** Who said yes to something that asks twice. */
  readonly confirmingBy: number | undefined
  readonly decision: KeptDecision | undefined
  readonly isDelivered: boolean
  /** Nothing is left to be done: its message says how it ended. */
  readonly isOver: boolean
}

/** What people were asked, and what they decided. */
export interface AskRecords {
  /** Notes a question before it is sent; `false` when this round of it is there already, or its task was erased. */
  open(ask: NewAskRecord): Promise<boolean>
  get(token: string): Promise<AskRecord | undefined>
  byMessage(chatId: number, messageId: number): Promise<AskRecord | undefined>
  /** All rounds of all calls of a task, oldest first. */
  ofTask(taskId: string): Promise<AskRecord[]>
  /** Those with something left to be done, oldest first. */
  notOver(): Promise<AskRecord[]>
  setMessage(token: string, messageId: number): Promise<void>
  setConfirming(token: string, userId: number | undefined): Promise<void>
  /** The first decision wins: answers with the one that holds, and whether it is this one. */
  decide(token: string, decision: KeptDecision): Promise<HeldDecision>
  setDelivered(token: string): Promise<void>
  setOver(token: string): Promise<void>
}

/** The decision that holds. */
export interface HeldDecision {
  readonly decision: KeptDecision
  readonly isFirst: boolean
}

/** How much of a reply went out. */
export interface ReplyProgress {
  readonly sentParts: number
  /** The next part may have gone out as well: a process ended while it was sent. */
  readonly isSending: boolean
}

/** What of the replies went out, so that one that is sent again goes on where it was. */
export interface ReplyRecords {
  /**
   * Where a reply is.
   *
   * @param digest by which it is known whether it is the same reply
   * @param mayBeRepeated it was begun before; if not, what is known of an earlier one is forgotten
   */
  begin(taskId: string, digest: string, mayBeRepeated: boolean): Promise<ReplyProgress>
  progress(taskId: string): Promise<ReplyProgress>
  /** Says that the next part is about to be sent. */
  sending(taskId: string): Promise<void>
  /** Says that so many parts are out. */
  sent(taskId: string, parts: number): Promise<void>
}

/** A message that shows an answer that is being written. */
export interface KeptDraft {
  readonly chatId: number
  readonly messageId: number
}

/** The drafts that are shown, one for a task, so that another process can take away what one has left. */
export interface DraftRecords {
  note(taskId: string, draft: KeptDraft): Promise<void>
  find(taskId: string): Promise<KeptDraft | undefined>
  forget(taskId: string): Promise<void>
  /** Of which tasks there are some. */
  taskIds(): Promise<string[]>
}

/** What a chat need not hear again and again. */
export interface NoticeRecords {
  /** Whether a chat is to be told something; not again within a day. */
  isDue(chatId: number, kind: string): Promise<boolean>
  /** Forgets all records of the bot that are over for 30 days. */
  prune(): Promise<void>
}

/** Which conversation a chat, or a topic of it, is in. Kept for ever: silence ends none. */
export interface PlaceRecords {
  /** `undefined` while it is in its first one. */
  conversation(place: string): Promise<string | undefined>
  /** Begins another one, by a message; `false` when a later message has begun one, or this one has. */
  begin(begun: BegunConversation): Promise<boolean>
}

/** A conversation that somebody began. */
export interface BegunConversation {
  readonly place: string
  readonly chatId: number
  readonly conversationId: string
  readonly messageId: number
}

/** Chats that have another number by now. */
export interface ChatRecords {
  /**
   * Notes where a chat is now. What was asked there and nobody has decided has no message any more: the buttons
   * of the old chat are worth nothing.
   */
  move(from: number, to: number): Promise<void>
  /** The last move of each chat. */
  moves(): Promise<readonly { readonly from: number; readonly to: number }[]>
}
