export { telegramChannel } from './telegram-channel.ts'
export type { TelegramChannel, TelegramChannelOptions } from './telegram-channel.ts'
export type { AllowedEntry, Allow, TelegramRight, TelegramWho } from './permissions.ts'
export type { Quota, Quotas } from './limits.ts'
export type { TelegramFile, TelegramReply } from './replies.ts'
export { telegramSettings } from './telegram-settings.ts'
export type { TelegramSettings } from './telegram-settings.ts'
export { TelegramError } from './telegram-error.ts'
export type { TelegramErrorCode, TelegramErrorOptions } from './telegram-error.ts'
export { english } from './words.ts'
export type { TelegramWords } from './words.ts'
export type { Clock } from './waiting.ts'
export { sqliteTelegramRecords } from './sqlite-records.ts'
export type { SqliteTelegramRecordsOptions } from './sqlite-records.ts'
export type {
  AskRecord,
  AskRecords,
  BotRecords,
  HeldDecision,
  KeptDecision,
  MessageRecords,
  NewAskRecord,
  NoticeRecords,
  ReplyProgress,
  ReplyRecords,
  TakenMessage,
  TelegramRecords,
  UpdateRecords,
} from './telegram-records.ts'
