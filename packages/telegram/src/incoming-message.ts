import type { Message, MessageEntity } from 'grammy/types'
import { readButton } from './ask-buttons.ts'
import { forwardedText, linkTargets, repliedText } from './others-words.ts'

/** A file of a message, not fetched yet. */
export interface IncomingFile {
  readonly fileId: string
  /** Bytes, as far as Telegram says them. */
  readonly size: number | undefined
  readonly mediaType: string
  readonly name: string | undefined
}

/** A message of a person, as far as the channel looks at it. */
export interface IncomingMessage {
  readonly userId: number
  readonly userName: string
  readonly chatId: number
  readonly isPrivate: boolean
  readonly messageId: number
  readonly threadId: number | undefined
  /** What the person says, alone or beside a file, without the command; empty when it is forwarded. */
  readonly text: string
  /** The same with all of it. */
  readonly said: string
  readonly command: string | undefined
  /** Where links of the text lead that show something else. */
  readonly links: readonly string[]
  /** What the message forwards or replies to, marked as the words of others. */
  readonly othersWords: readonly string[]
  readonly files: readonly IncomingFile[]
  /** Its files came as messages of their own. */
  readonly isAlbum: boolean
  /** The message that it replies to. */
  readonly repliesTo: number | undefined
  /** The token of the buttons below that one. */
  readonly repliesToToken: string | undefined
}

export interface BotIdentity {
  readonly id: number
  readonly username: string
}

/**
 * Reads a message, or all of an album as one; `undefined` when it is not for the bot: from a bot or a
 * channel, or said to others in a group. There it has to name the bot, to reply to it, or to be a command.
 */
export function readMessage(
  [first, ...rest]: readonly [Message, ...Message[]],
  bot: BotIdentity,
): IncomingMessage | undefined {
  const all = [first, ...rest]
  // An album has one caption at most.
  const message = all.find(({ caption }) => caption !== undefined) ?? first
  const { chat, from, forward_origin: origin, reply_to_message: replied } = message
  if (!from || from.is_bot || message.sender_chat || chat.type === 'channel') return undefined
  const isPrivate = chat.type === 'private'
  // What was said elsewhere is said to nobody here.
  const whole = message.text ?? message.caption ?? ''
  const own = origin ? '' : whole
  const entities = (message.entities ?? message.caption_entities ?? []).filter(() => own !== '')
  const { command, names, rest: afterCommand } = readCommand(own, entities, bot)
  if (command !== undefined && names !== undefined && !isSame(names, bot.username)) return undefined
  const isMentioned = entities.some((entity) => isMention(entity, own, bot))
  const isReply = replied?.from?.id === bot.id
  if (!isPrivate && command === undefined && !isMentioned && !isReply) return undefined
  return {
    userId: from.id,
    userName: [from.first_name, from.last_name ?? ''].join(' ').trim() || String(from.id),
    chatId: chat.id,
    isPrivate,
    messageId: first.message_id,
    threadId: message.is_topic_message === true ? message.message_thread_id : undefined,
    text: (command === undefined ? own : afterCommand).trim(),
    said: own.trim(),
    command,
    links: linkTargets(own, entities),
    othersWords: [
      repliedText(message, bot.id),
      origin ? forwardedText(message, origin) : '',
    ].filter((words) => words !== ''),
    files: all.flatMap(filesOf),
    isAlbum: first.media_group_id !== undefined,
    repliesTo: isReply ? replied.message_id : undefined,
    repliesToToken: isReply ? tokenBelow(replied) : undefined,
  }
}

function isMention(entity: MessageEntity, text: string, bot: BotIdentity): boolean {
  if (entity.type === 'text_mention') return entity.user.id === bot.id
  return entity.type === 'mention' && isSame(textOf(entity, text), `@${bot.username}`)
}

/** Offsets and lengths are UTF-16 code units, as those of strings here. */
function textOf({ offset, length }: MessageEntity, text: string): string {
  return text.slice(offset, offset + length)
}

function tokenBelow({ reply_markup: markup }: Pick<Message, 'reply_markup'>): string | undefined {
  const [button] = markup?.inline_keyboard.flat() ?? []
  return button && 'callback_data' in button ? readButton(button.callback_data)?.token : undefined
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

/** A command comes first, or right after the name of the bot. */
function readCommand(
  said: string,
  entities: readonly MessageEntity[],
  bot: BotIdentity,
): { command?: string; names?: string; rest: string } {
  const at = entities.findIndex(({ type }) => type === 'bot_command')
  const entity = entities[at]
  const mention = entities.slice(0, at).find((before) => isMention(before, said, bot))
  const before = entity
    ? said.slice(mention ? mention.offset + mention.length : 0, entity.offset)
    : ''
  const isFirst = before.trim() === '' && (!mention || said.slice(0, mention.offset).trim() === '')
  if (!entity || !isFirst) return { rest: said }
  const [, command, names] = /^\/(\w{1,32})(?:@(\w+))?$/.exec(textOf(entity, said)) ?? []
  if (command === undefined) return { rest: said }
  const rest = said.slice(entity.offset + entity.length)
  return { command: `/${command.toLowerCase()}`, rest, ...(names !== undefined && { names }) }
}

function filesOf(message: Message): IncomingFile[] {
  const { photo = [], document, audio, voice, video, video_note: note, animation } = message
  // Telegram keeps a photo in several sizes, the largest one last.
  const largest = photo.at(-1)
  const files: IncomingFile[] = []
  const add = (
    file:
      | { file_id: string; file_size?: number; file_name?: string; mime_type?: string }
      | undefined,
    otherwise: string,
  ): void => {
    if (!file) return
    const { file_id: fileId, file_size: size, file_name: name, mime_type: type } = file
    files.push({ fileId, size, name, mediaType: type ?? otherwise })
  }
  add(largest, 'image/jpeg')
  // An animation comes as a document too, for clients that do not know it.
  add(document, 'application/octet-stream')
  if (!document) add(animation, 'video/mp4')
  add(audio, 'audio/mpeg')
  // They have no names of their own, and people are told of them.
  add(voice && { ...voice, file_name: 'voice message.ogg' }, 'audio/ogg')
  add(video, 'video/mp4')
  add(note && { ...note, file_name: 'video message.mp4' }, 'video/mp4')
  return files
}
