import type { ErasureSubject } from './subject.ts'

const CONVERSATION = /^telegram:(\d+):(-?\d+)(?::(\d+))?(?:\/\d+)?$/

/** The number of a user of Telegram; `undefined` for any other subject. */
export function telegramUser({ user }: ErasureSubject): number | undefined {
  const [, id] = /^telegram:(\d{1,15})$/.exec(user ?? '') ?? []
  return id === undefined ? undefined : Number(id)
}

/** Whether a conversation is what a user of Telegram says to a bot alone: such a chat has the number of the user. */
export function isPrivateChat(conversationId: string, userId: number): boolean {
  return CONVERSATION.exec(conversationId)?.[2] === String(userId)
}

/** Whether an update that nobody dealt with is of a chat, or of a user, that is erased. */
export function isErasedUpdate(
  body: string,
  { botId, conversationId, userId }: TelegramErasure & { readonly botId: number },
): boolean {
  const update: unknown = JSON.parse(body)
  const said = Object.values(isObject(update) ? update : {}).filter(isObject)
  return said.some((one) => {
    if (userId !== undefined && idOf(one['from']) === userId) return true
    const message = isObject(one['message']) ? one['message'] : one
    const [, bot, chat, thread] = CONVERSATION.exec(conversationId ?? '') ?? []
    if (bot !== String(botId) || chat !== String(idOf(message['chat']))) return false
    const topic = message['is_topic_message'] === true ? message['message_thread_id'] : undefined
    return thread === (topic === undefined ? undefined : String(topic))
  })
}

/** What is erased of Telegram. */
export interface TelegramErasure {
  readonly conversationId?: string | undefined
  readonly userId?: number | undefined
}

function idOf(value: unknown): unknown {
  return isObject(value) ? value['id'] : undefined
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

/** The decision that a user made on a task of somebody else, without the name and the words; nothing where it is no such. */
export function withoutDecider(json: string, userId: number): string | undefined {
  const decision: unknown = JSON.parse(json)
  if (!isObject(decision) || decision['userId'] !== userId) return undefined
  const { words: _words, ...rest } = decision
  return JSON.stringify({ ...rest, userId: 0, userName: '' })
}
