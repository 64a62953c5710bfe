import type { TelegramRecords } from '@assent/telegram'
import type { AssentPostgres } from '../open-postgres.ts'
import { askRecords } from './ask-records.ts'
import { chatRecords } from './chat-records.ts'
import { draftRecords } from './draft-records.ts'
import { messageRecords } from './message-records.ts'
import { noticeRecords } from './notice-records.ts'
import { placeRecords } from './place-records.ts'
import { replyRecords } from './reply-records.ts'
import { updateRecords } from './update-records.ts'

/** Keeps what channels of Telegram must not forget in a database. Time is the database's. */
export function postgresTelegramRecords(database: AssentPostgres): TelegramRecords {
  return {
    ofBot: (botId) => ({
      updates: updateRecords(database, botId),
      messages: messageRecords(database, botId),
      asks: askRecords(database, botId),
      replies: replyRecords(database, botId),
      drafts: draftRecords(database, botId),
      notices: noticeRecords(database, botId),
      places: placeRecords(database, botId),
      chats: chatRecords(database, botId),
    }),
  }
}
