import type { Message } from 'grammy/types'

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
  /** Of a text, or beside a file; without the command, and without the name of the bot. */
  readonly text: string
  readonly command: string | undefined
  readonly files: readonly IncomingFile[]
  /** The message that it replies to. */
  readonly repliesTo: number | undefined
}

export interface BotIdentity {
  readonly id: number
  readonly username: string
}

/**
 * Reads a message; `undefined` when it is not for the bot: from a bot or a channel, or said to others in
 * a group. There it has to name the bot, to reply to it, or to be a command.
 */
export function readMessage(message: Message, bot: BotIdentity): IncomingMessage | undefined {
  const { chat, from, reply_to_message: replied } = message
  if (!from || from.is_bot || message.sender_chat || chat.type === 'channel') return undefined
  const said = message.text ?? message.caption ?? ''
  const isPrivate = chat.type === 'private'
  const { command, names, rest } = readCommand(said)
  const name = `@${bot.username}`
  if (command !== undefined && names !== undefined && !isSame(names, bot.username)) return undefined
  const isMentioned = said
    .toLowerCase()
    .split(/[\s,.:;!?]+/)
    .includes(name.toLowerCase())
  const isReply = replied?.from?.id === bot.id
  if (!isPrivate && command === undefined && !isMentioned && !isReply) return undefined
  return {
    userId: from.id,
    userName: [from.first_name, from.last_name ?? ''].join(' ').trim() || String(from.id),
    chatId: chat.id,
    isPrivate,
    messageId: message.message_id,
    threadId: message.is_topic_message === true ? message.message_thread_id : undefined,
    text: (command === undefined ? said : rest).trim(),
    command,
    files: filesOf(message),
    repliesTo: isReply ? replied?.message_id : undefined,
  }
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

function readCommand(said: string): { command?: string; names?: string; rest: string } {
  const [whole = '', command, names] = /^\/([A-Za-z0-9_]{1,32})(?:@(\w+))?(?=\s|$)/.exec(said) ?? []
  if (command === undefined) return { rest: said }
  const rest = said.slice(whole.length)
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
  add(voice, 'audio/ogg')
  add(video, 'video/mp4')
  add(note, 'video/mp4')
  return files
}
