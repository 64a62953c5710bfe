import type { AssentDatabase } from '@assent/node'
import { askRecords } from './sqlite-records/ask-records.ts'
import { chatRecords } from './sqlite-records/chat-records.ts'
import { draftRecords } from './sqlite-records/draft-records.ts'
import { messageRecords } from './sqlite-records/message-records.ts'
import { noticeRecords } from './sqlite-records/notice-records.ts'
import { placeRecords } from './sqlite-records/place-records.ts'
import { replyRecords } from './sqlite-records/reply-records.ts'
import { updateRecords } from './sqlite-records/update-records.ts'
import type { TelegramRecords } from './telegram-records.ts'

/** Options of {@link sqliteTelegramRecords}. */
export interface SqliteTelegramRecordsOptions {
  /** Milliseconds since the epoch. Default `Date.now`. */
  readonly now?: () => number
}

/** Keeps what channels must not forget in a file; may be that of the worker. */
export function sqliteTelegramRecords(
  database: AssentDatabase,
  { now = Date.now }: SqliteTelegramRecordsOptions = {},
): TelegramRecords {
  const time = () => Math.floor(now())
  return {
    ofBot: (botId) => ({
      updates: updateRecords(database, botId, time),
      messages: messageRecords(database, botId, time),
      asks: askRecords(database, botId, time),
      replies: replyRecords(database, botId, time),
      drafts: draftRecords(database, botId),
      notices: noticeRecords(database, botId, time),
      places: placeRecords(database, botId),
      chats: chatRecords(database, botId),
    }),
  }
}
