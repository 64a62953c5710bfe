export { telegramChannel } from './telegram-channel.ts'
export type { TelegramChannel } from './channel-contract.ts'
export type { TelegramChannelOptions } from './channel-options.ts'
export type { AllowedEntry, Allow, TelegramRight, TelegramWho } from './permissions.ts'
export type { TelegramCommandResult, TelegramCommand, TelegramCommandCall } from './command-menu.ts'
export type { Quota, Quotas } from './limits.ts'
export type { TelegramFile, TelegramReply } from './replies.ts'
export { telegramSettings } from './telegram-settings.ts'
export type { TelegramSettings } from './telegram-settings.ts'
export { TelegramError } from './telegram-error.ts'
export type { TelegramErrorCode, TelegramErrorOptions } from './telegram-error.ts'
export type { PollingState, TelegramHealth } from './telegram-health.ts'
export { english } from './words.ts'
export type { StatusFacts, TelegramWords } from './words.ts'
export type { Clock } from './waiting.ts'
export { sqliteTelegramRecords } from './sqlite-records.ts'
export type { SqliteTelegramRecordsOptions } from './sqlite-records.ts'
export type {
  AskRecord,
  AskRecords,
  BegunConversation,
  BotRecords,
  ChatRecords,
  HeldDecision,
  KeptDecision,
  MessageRecords,
  NewAskRecord,
  NoticeRecords,
  PlaceRecords,
  ReplyProgress,
  ReplyRecords,
  DraftRecords,
  KeptDraft,
  TakenMessage,
  TelegramRecords,
  UpdateRecords,
} from './telegram-records.ts'
