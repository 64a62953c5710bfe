import type { EngineState, RequestState } from '../state.ts'
import { summaryOf } from './conversation-records.ts'

/** A conversation in a list. Times are milliseconds since the epoch. */
export interface ConversationListing {
  readonly id: string
  /** The one that a person gave, else the beginning of the first message; empty before there is one. */
  readonly title: string
  /** Whether a person gave it. */
  readonly isTitleGiven: boolean
  readonly createdAt: number
  readonly updatedAt: number
  readonly messageCount: number
  readonly requestState: RequestState
  /** How many calls wait for a person. */
  readonly waitingCount: number
  /** How many messages nobody has looked at, as `markUnread` was told. */
  readonly unreadCount: number
}

/** What a list shows of a conversation that is open, which its store may know a little later. */
export function listingOf(
  id: string,
  state: EngineState,
  {
    createdAt,
    updatedAt,
    title,
    unreadCount = 0,
  }: {
    createdAt: number
    updatedAt: number
    /** A title that a person gave; empty for none. */
    title?: string | undefined
    unreadCount?: number
  },
): ConversationListing {
  const summary = summaryOf(state, { createdAt, updatedAt })
  const { messageCount, requestState, waitingCount } = summary
  return {
    id,
    title: title || summary.title,
    isTitleGiven: Boolean(title),
    createdAt,
    updatedAt,
    messageCount,
    requestState,
    waitingCount,
    unreadCount,
  }
}
