import type { JSONValue } from 'ai'
import type { Message, Update } from 'grammy/types'
import type { ChannelGround, Effect } from './channel-ground.ts'
import type { RunCommand } from './commands.ts'
import type { FileFetcher } from './incoming-files.ts'
import { readMessage, type BotIdentity, type IncomingMessage } from './incoming-message.ts'
import type { Refusal } from './limits.ts'
import type { TelegramWho } from './permissions.ts'
import type { Pressing } from './pressing.ts'
import { rich } from './rich-text.ts'
import { sendText } from './sending.ts'
import type { NoticeRecords } from './telegram-records.ts'
import { toConversationId, toReplyTo, type TaskTarget } from './task-target.ts'

/** Takes updates in. */
export interface Intake {
  /**
   * Does all that an update means; what is left to be done on Telegram is given back. The same one
   * again does the same no second time.
   */
  handle(update: Update): Promise<Effect[]>
  /** An update could not be taken in, again and again: forgets it, and says so. */
  giveUp(update: Update): Promise<Effect[]>
}

export interface IntakeParts {
  readonly bot: () => Promise<BotIdentity>
  readonly pressing: Pressing
  readonly runCommand: RunCommand
  readonly refusalOf: (who: TelegramWho) => Promise<Refusal | undefined>
  readonly files: FileFetcher
  readonly notices: NoticeRecords
  readonly maxFileBytes: number
}

export function intake(ground: ChannelGround, parts: IntakeParts): Intake {
  const { botId, inbox, messages, client, clock, words, isAllowed } = ground
  const { pressing, runCommand, refusalOf, files, notices, maxFileBytes } = parts

  function say(message: IncomingMessage, text: string): Effect[] {
    const target = { ...placeOf(message), messageId: message.messageId }
    return [() => client.inChat(target.chatId, (make) => sendText(make, target, rich(text)))]
  }

  async function toInput(message: IncomingMessage): Promise<JSONValue | 'too-large'> {
    const { text: said, isPrivate, userName } = message
    // Where several people talk, the assistant has to know who does.
    const text = isPrivate || said === '' ? said : `${userName}: ${said}`
    if (message.files.length === 0) return text
    const fetched: JSONValue[] = []
    for (const file of message.files) {
      const part = await files.fetch(file)
      if (part === undefined) return 'too-large'
      fetched.push(part)
    }
    return text === '' ? fetched : [{ type: 'text', text }, ...fetched]
  }

  /** A message that is allowed becomes a task of its own, once, whatever happens in between. */
  async function takeIn(message: IncomingMessage): Promise<Effect[]> {
    const { chatId, userId, messageId } = message
    const taskId = taskIdOf(message)
    if (message.text === '' && message.files.length === 0) {
      return message.isPrivate ? say(message, words.unreadable) : []
    }
    if (!(await messages.has(taskId))) {
      const refusal = await refusalOf({ userId, chatId })
      if (refusal) return say(message, refusalWords(refusal))
    }
    const input = await toInput(message)
    if (input === 'too-large') return say(message, words.fileTooLarge(maxFileBytes))
    const place = placeOf(message)
    const conversationId = toConversationId(botId, place)
    await messages.take({ taskId, conversationId, chatId, userId, messageId, takenAt: clock.now() })
    const replyTo = toReplyTo(botId, { ...place, messageId })
    await inbox.add({ id: taskId, conversationId, input, replyTo })
    return []
  }

  function refusalWords(refusal: Refusal): string {
    const seconds = Math.ceil(refusal.retryMs / 1_000)
    return refusal.kind === 'waiting'
      ? words.tooManyWaiting(refusal.most, seconds)
      : words.quotaUsed(refusal.most, refusal.per, seconds)
  }

  async function takeMessage(given: Message): Promise<Effect[]> {
    const message = readMessage(given, await parts.bot())
    if (!message) return []
    const { userId, chatId, isPrivate, command } = message
    // Who decides need not be one who talks.
    const decided = await pressing.reply(message)
    if (decided) return decided
    if (!(await isAllowed({ userId, chatId }, 'talk'))) {
      // A stranger may have to be told apart by whoever runs the bot, once.
      const isTold = isPrivate && (await notices.isDue(chatId, 'stranger'))
      return isTold ? say(message, words.stranger(userId, chatId)) : []
    }
    if (command !== undefined) return runCommand(command, message)
    return takeIn(message)
  }

  function taskIdOf({ chatId, messageId }: { chatId: number; messageId: number }): string {
    return `telegram:${botId}:${chatId}:${messageId}`
  }

  return {
    async handle({ message, callback_query: query }) {
      if (query) return pressing.press(query)
      return message ? takeMessage(message) : []
    },
    async giveUp({ message }) {
      if (!message) return []
      const chatId = message.chat.id
      await messages.end(taskIdOf({ chatId, messageId: message.message_id }))
      const text = rich(words.notTaken)
      return [() => client.inChat(chatId, (make) => sendText(make, { chatId }, text))]
    },
  }
}

function placeOf({ chatId, threadId }: IncomingMessage): TaskTarget {
  return { chatId, ...(threadId !== undefined && { threadId }) }
}
