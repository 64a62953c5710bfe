import type { JSONValue } from 'ai'
import { z } from 'zod'

/** Where a task of the channel came from, and where its reply goes. */
export interface TaskTarget {
  readonly chatId: number
  /** Of a topic, in a group that has them. */
  readonly threadId?: number
  /** The message to reply to. */
  readonly messageId?: number
}

const id = z.number().int()
const stored = z.object({
  channel: z.literal('telegram'),
  bot: id,
  chat: id,
  thread: id.optional(),
  message: id.optional(),
})

/** As the `replyTo` of a task. */
export function toReplyTo(botId: number, { chatId, threadId, messageId }: TaskTarget): JSONValue {
  return {
    channel: 'telegram',
    bot: botId,
    chat: chatId,
    ...(threadId !== undefined && { thread: threadId }),
    ...(messageId !== undefined && { message: messageId }),
  }
}

/** Reads the `replyTo` of any task; `undefined` when it is not this bot's. */
export function readReplyTo(botId: number, replyTo: JSONValue | undefined): TaskTarget | undefined {
  const { data } = stored.safeParse(replyTo)
  if (data?.bot !== botId) return undefined
  const { chat, thread, message } = data
  return {
    chatId: chat,
    ...(thread !== undefined && { threadId: thread }),
    ...(message !== undefined && { messageId: message }),
  }
}

/** The first conversation of a chat, or of one topic of it; later ones have `/<message>` at the end. */
export function toPlace(botId: number, { chatId, threadId }: TaskTarget): string {
  return ['telegram', botId, chatId, ...(threadId === undefined ? [] : [threadId])].join(':')
}

/** Reads the id of any conversation; `undefined` when it is not this bot's. */
export function readConversationId(botId: number, conversationId: string): TaskTarget | undefined {
  const [, bot, chat, thread] =
    /^telegram:(\d+):(-?\d+)(?::(\d+))?(?:\/\d+)?$/.exec(conversationId) ?? []
  if (bot !== String(botId)) return undefined
  return { chatId: Number(chat), ...(thread !== undefined && { threadId: Number(thread) }) }
}
