import { isAccepted, type AcceptedMedia } from '@assent/node'
import type { Task } from '@assent/worker'
import type { Message, Update } from 'grammy/types'
import type { ChannelGround, Effect } from './channel-ground.ts'
import { bareAnswer } from './bare-answer.ts'
import type { Commands } from './commands.ts'
import { currentConversation } from './current-conversation.ts'
import { visible } from './evidence.ts'
import type { FileFetcher } from './incoming-files.ts'
import {
  readMessage,
  type BotIdentity,
  type IncomingFile,
  type IncomingMessage,
} from './incoming-message.ts'
import { messageInput, messageText, withNewText } from './message-input.ts'
import type { Refusal } from './limits.ts'
import type { TelegramWho } from './permissions.ts'
import type { Press } from './pressing.ts'
import type { QuestionReplies } from './question-replies.ts'
import type { Reminding } from './reminding.ts'
import { rich } from './rich-text.ts'
import { sendText } from './sending.ts'
import type { NoticeRecords } from './telegram-records.ts'
import { toReplyTo, type TaskTarget } from './task-target.ts'

/** Takes updates in. */
export interface Intake {
  /**
   * Does all that an update means; what is left to be done on Telegram is given back. The same one
   * again does the same no second time.
   *
   * @param album the messages after it that came with it
   */
  handle(update: Update, album?: readonly Message[]): Promise<Effect[]>
  /** An update could not be taken in, again and again: forgets it, and says so. */
  giveUp(update: Update): Promise<Effect[]>
}

export interface IntakeParts {
  readonly bot: () => Promise<BotIdentity>
  readonly press: Press
  readonly questionReplies: QuestionReplies
  readonly reminding: Reminding
  readonly commands: Commands
  readonly refusalOf: (who: TelegramWho) => Promise<Refusal | undefined>
  readonly files: FileFetcher
  readonly notices: NoticeRecords
  readonly maxFileBytes: number
  readonly acceptedMedia: AcceptedMedia | undefined
}

export function intake(ground: ChannelGround, parts: IntakeParts): Intake {
  const { botId, inbox, messages, client, clock, words, isAllowed, report } = ground
  const {
    press,
    acceptedMedia,
    questionReplies,
    reminding,
    commands,
    refusalOf,
    files,
    notices,
    maxFileBytes,
  } = parts

  function say(message: IncomingMessage, text: string): Effect[] {
    const target = { ...placeOf(message), messageId: message.messageId }
    return [() => client.inChat(target.chatId, (make) => sendText(make, target, rich(text)))]
  }

  /** A message that is allowed becomes a task of its own, once, whatever happens in between. */
  async function takeIn(message: IncomingMessage): Promise<Effect[]> {
    const { chatId, userId, messageId } = message
    const taskId = taskIdOf(message)
    if (messageText(message) === '' && message.files.length === 0) {
      return message.isPrivate ? say(message, words.unreadable) : []
    }
    const refused = acceptedMedia
      ? message.files.filter((file) => !isAccepted(file, acceptedMedia))
      : []
    if (acceptedMedia && refused.length > 0) {
      return say(message, words.fileNotAccepted(refused.map(fileName), acceptedMedia))
    }
    if (!(await messages.has(taskId))) {
      const refusal = await refusalOf({ userId, chatId })
      if (refusal) return say(message, refusalWords(refusal))
    }
    const input = await messageInput(message, files)
    if (input === 'too-large') return say(message, words.fileTooLarge(maxFileBytes))
    const place = placeOf(message)
    const conversationId = await currentConversation(ground, place)
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

  async function takeMessage(given: readonly [Message, ...Message[]]): Promise<Effect[]> {
    const message = readMessage(given, await parts.bot())
    if (!message) return []
    const { userId, chatId, isPrivate, command } = message
    const who = { userId, chatId }
    const ask = await questionReplies.find(message)
    const isCommand = command !== undefined && (!ask || commands.isKnown(command))
    // Who decides need not be one who talks.
    if (ask && !isCommand) return questionReplies.take(ask, message)
    if (!(await isAllowed(who, 'talk')) && !(isCommand && (await isAllowed(who, 'approve')))) {
      // A stranger may have to be told apart by whoever runs the bot, once.
      const isTold = isPrivate && (await notices.isDue(chatId, 'stranger'))
      return isTold ? say(message, words.stranger(userId, chatId)) : []
    }
    if (isCommand) {
      const ran = await commands.run(command, message)
      return 'prompt' in ran ? takeMessageIn({ ...message, text: ran.prompt }) : ran
    }
    return takeMessageIn(message)
  }

  async function takeMessageIn(message: IncomingMessage): Promise<Effect[]> {
    const [waits, ...more] = await reminding.waiting(placeOf(message))
    // Later it would answer something else.
    const isBare = message.files.length === 0 && message.othersWords.length === 0
    if (waits && isBare && bareAnswer(message.text) !== undefined) {
      return [reminding.show(waits, words.useButtons, more.length)]
    }
    const said = await takeIn(message)
    const isTaken = said.length === 0 && waits
    return isTaken ? [reminding.show(waits, words.decideFirst, more.length)] : said
  }

  /** An edited message that waits is read as it is now. */
  async function takeEdit(given: Message): Promise<Effect[]> {
    const message = readMessage([given], await parts.bot())
    if (!message || message.command !== undefined) return []
    const { userId, chatId } = message
    const taskId = taskIdOf(message)
    if (!(await messages.has(taskId)) || !(await isAllowed({ userId, chatId }, 'talk'))) return []
    const task = await inbox.get(taskId)
    if (!task || isOver(task)) return []
    const input = message.isAlbum
      ? withNewText(message, task.input)
      : await messageInput(message, files)
    if (input === 'too-large') return say(message, words.fileTooLarge(maxFileBytes))
    return (await inbox.edit(taskId, input)) ? [] : say(message, words.editTooLate)
  }

  function taskIdOf({ chatId, messageId }: { chatId: number; messageId: number }): string {
    return `telegram:${botId}:${chatId}:${messageId}`
  }

  return {
    async handle({ message, edited_message: edited, callback_query: query }, album = []) {
      if (query) return press(query)
      if (edited) return takeEdit(edited)
      return message ? takeMessage([message, ...album]) : []
    },
    async giveUp({ message }) {
      if (!message) return []
      const chatId = message.chat.id
      // Whatever fails here: the person is told.
      await messages.end(taskIdOf({ chatId, messageId: message.message_id })).catch(report)
      const text = rich(words.notTaken)
      return [() => client.inChat(chatId, (make) => sendText(make, { chatId }, text))]
    },
  }
}

function fileName({ name, mediaType }: IncomingFile): string {
  return name === undefined ? mediaType : visible(name)
}

function isOver({ state }: Task): boolean {
  return state === 'done' || state === 'dead' || state === 'failed'
}

function placeOf({ chatId, threadId }: IncomingMessage): TaskTarget {
  return { chatId, ...(threadId !== undefined && { threadId }) }
}
