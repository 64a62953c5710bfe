import type { Message, Update, User } from 'grammy/types'
import {
  bad,
  isRecord,
  readKeyboard,
  readMessageText,
  readNumber,
  readText,
  Refused,
  type Button,
  type Entity,
  type Payload,
} from './bot-api-rules.ts'

/** A message of the bot, as people see it. */
export interface ShownMessage {
  readonly id: number
  text: string
  entities: readonly Entity[]
  buttons: readonly (readonly Button[])[]
  readonly repliesTo: number | undefined
  /** Of a topic, as it was given. */
  readonly threadId: unknown
  readonly document: { readonly name: string; readonly bytes: Uint8Array } | undefined
  edits: number
}

/** A person in a chat. */
export interface Person {
  readonly id: number
  readonly chatId: number
  /** @returns the id of the update */
  says(text: string): number
  repliesTo(messageId: number, text: string): number
  /** Says anything that a message can be. */
  sends(content: Partial<Message>): number
  /** Changes the last message of this person, in part. */
  edits(content: Partial<Message>): number
  /** Sends a file of so many bytes, as a document, a photo, or spoken. */
  sendsFile(file: {
    name?: string
    bytes: Uint8Array
    type?: string
    caption?: string
    album?: string
    isSizeUnknown?: boolean
    isVoice?: boolean
  }): number
  /** Presses a button of a message by what is on it; returns the id of the query. */
  presses(messageId: number, label: string): string
  /** The same with data that no button has. */
  forges(messageId: number, data: string): string
}

/** What a query was answered with; `undefined` until then. */
export interface ShownAnswer {
  readonly text: string | undefined
  readonly isAlert: boolean
}

export interface FakeChats {
  /** A person whom the bot can write to, in private or in a group. */
  person(id: number, options?: { name?: string; groupId?: number; threadId?: number }): Person
  /** What the bot has written in a chat. */
  shown(chatId: number): readonly ShownMessage[]
  /** From now on the bot may not write in a chat. */
  block(chatId: number): void
  /** A group becomes a supergroup, which is another chat; whether its bot is told. */
  migrate(from: number, to: number, options?: { isTold?: boolean }): void
  deleteTopic(chatId: number, threadId: number): void
  answerOf(queryId: string): ShownAnswer | undefined
  answer(method: string, payload: Payload): unknown
  fileAt(path: string): Uint8Array | undefined
}

const BOT: User = { id: 4_242, is_bot: true, first_name: 'Helper', username: 'helper_bot' }
/** Bytes that the Bot API lets a bot download. */
const MAX_DOWNLOAD = 20 * 1024 * 1024

export function createChats({
  now,
  send,
}: {
  now: () => number
  send: (update: Omit<Update, 'update_id'>) => number
}): FakeChats {
  const shown = new Map<number, ShownMessage[]>()
  const blocked = new Set<number>()
  const movedTo = new Map<number, number>()
  const goneTopics = new Set<string>()
  const answers = new Map<string, ShownAnswer | undefined>()
  const files = new Map<string, Uint8Array>()
  let lastMessageId = 100
  let lastQuery = 0

  function chatOf(payload: Payload): { id: number; messages: ShownMessage[] } {
    const id = readNumber(payload, 'chat_id')
    const messages = shown.get(id)
    if (!messages) throw bad('chat not found')
    const migrate_to_chat_id = movedTo.get(id)
    if (migrate_to_chat_id !== undefined) {
      const description = 'Bad Request: group chat was upgraded to a supergroup chat'
      throw new Refused(400, description, { migrate_to_chat_id })
    }
    const thread = payload['message_thread_id']
    if (goneTopics.has(`${id}:${String(thread)}`)) throw bad('message thread not found')
    if (blocked.has(id)) throw new Refused(403, 'Forbidden: bot was blocked by the user')
    return { id, messages }
  }

  function add(
    payload: Payload,
    content: Pick<ShownMessage, 'text' | 'entities' | 'document'>,
  ): unknown {
    const { id: chatId, messages } = chatOf(payload)
    const reply = payload['reply_parameters']
    const repliesTo = isRecord(reply) ? readNumber(reply, 'message_id') : undefined
    const message = {
      id: ++lastMessageId,
      ...content,
      buttons: readKeyboard(payload['reply_markup']),
      repliesTo,
      threadId: payload['message_thread_id'],
      edits: 0,
    }
    messages.push(message)
    return {
      message_id: message.id,
      date: seconds(),
      chat: { id: chatId, type: 'private' },
      from: BOT,
    }
  }

  function edit(
    payload: Payload,
    change: Partial<Pick<ShownMessage, 'text' | 'entities'>>,
  ): unknown {
    const { id: chatId, messages } = chatOf(payload)
    const id = readNumber(payload, 'message_id')
    const message = messages.find((shown) => shown.id === id)
    if (!message) throw bad('message to edit not found')
    const next = { ...message, ...change, buttons: readKeyboard(payload['reply_markup']) }
    if (JSON.stringify(next) === JSON.stringify(message)) {
      throw bad(
        'message is not modified: specified new message content and reply markup are exactly the same',
      )
    }
    Object.assign(message, next, { edits: message.edits + 1 })
    return { message_id: id, date: seconds(), chat: { id: chatId, type: 'private' }, from: BOT }
  }

  function remove(payload: Payload): true {
    const { messages } = chatOf(payload)
    const id = readNumber(payload, 'message_id')
    const at = messages.findIndex((message) => message.id === id)
    if (at === -1) throw bad('message to delete not found')
    messages.splice(at, 1)
    return true
  }

  function answerQuery(payload: Payload): true {
    const id = readText(payload, 'callback_query_id')
    if (!answers.has(id) || answers.get(id) !== undefined) {
      throw bad('query is too old and response timeout expired or query ID is invalid')
    }
    const { text, show_alert: isAlert } = payload
    if (typeof text === 'string' && text.length > 200) throw bad('MESSAGE_TOO_LONG')
    answers.set(id, {
      text: typeof text === 'string' ? text : undefined,
      isAlert: isAlert === true,
    })
    return true
  }

  function addDocument(payload: Payload): unknown {
    const { caption = '' } = payload
    if (String(caption).length > 1_024) throw bad('message caption is too long')
    const file = payload['document']
    if (!isRecord(file) || !(file['bytes'] instanceof Uint8Array))
      throw bad('wrong file identifier')
    const { name, bytes } = file
    if (bytes.length === 0) throw bad('file must be non-empty')
    return add(payload, {
      text: String(caption),
      entities: [],
      document: { name: String(name), bytes },
    })
  }

  function getFile(payload: Payload): unknown {
    const path = readText(payload, 'file_id')
    const bytes = files.get(path)
    if (!bytes) throw bad('invalid file_id')
    if (bytes.length > MAX_DOWNLOAD) throw bad('file is too big')
    return { file_id: path, file_unique_id: path, file_size: bytes.length, file_path: path }
  }

  const seconds = () => Math.floor(now() / 1_000)

  return {
    person(id, { name = 'Ada', groupId, threadId } = {}) {
      const chatId = groupId ?? id
      if (!shown.has(chatId)) shown.set(chatId, [])
      const from: User = { id, is_bot: false, first_name: name }
      const chat =
        groupId === undefined
          ? { id, type: 'private' as const, first_name: name }
          : { id: groupId, type: 'group' as const, title: 'Group' }
      let last: (Update['message'] & object) | undefined
      const say = (content: Partial<Message>): number => {
        const topic = threadId && { message_thread_id: threadId, is_topic_message: true as const }
        const id = { message_id: ++lastMessageId, date: seconds(), chat, from, ...topic }
        // What varies by kind of message is left to who says it.
        last = { ...id, ...content } as Update['message'] & object
        return send({ message: last })
      }
      const ofBot = (messageId: number) => ({
        message_id: messageId,
        date: seconds(),
        chat,
        from: BOT,
        text: shown.get(chatId)?.find(({ id }) => id === messageId)?.text ?? '',
        reply_markup: {
          inline_keyboard: shown.get(chatId)?.find(({ id }) => id === messageId)?.buttons ?? [],
        },
      })
      const press = (messageId: number, data: string): string => {
        const query = `query-${++lastQuery}`
        answers.set(query, undefined)
        send({
          callback_query: {
            id: query,
            from,
            chat_instance: 'x',
            message: ofBot(messageId) as Message,
            data,
          },
        })
        return query
      }
      return {
        id,
        chatId,
        says: (text) => say({ text, ...entitiesOf(text) }),
        sends: say,
        edits(content) {
          if (!last) throw new Error('There is nothing to edit.')
          last = { ...last, ...content, edit_date: seconds() } as Update['message'] & object
          return send({ edited_message: last as Update['edited_message'] & object })
        },
        repliesTo: (messageId, text) =>
          say({
            text,
            ...entitiesOf(text),
            reply_to_message: ofBot(messageId) as Message['reply_to_message'] & object,
          }),
        sendsFile({ name, bytes, type, caption, album, isSizeUnknown = false, isVoice = false }) {
          const path = `files/${files.size}-${name ?? 'photo.jpg'}`
          files.set(path, bytes)
          const size = isSizeUnknown ? {} : { file_size: bytes.length }
          const file = { file_id: path, file_unique_id: path, ...size }
          const said = {
            ...(caption !== undefined && { caption }),
            ...(album !== undefined && { media_group_id: album }),
          }
          if (isVoice)
            return say({ ...said, voice: { ...file, duration: 3, mime_type: 'audio/ogg' } })
          return name === undefined
            ? say({ ...said, photo: [{ ...file, width: 8, height: 8 }] })
            : say({
                ...said,
                document: { ...file, file_name: name, ...(type && { mime_type: type }) },
              })
        },
        presses(messageId, label) {
          const message = shown.get(chatId)?.find((shown) => shown.id === messageId)
          const button = message?.buttons.flat().find(({ text }) => text.includes(label))
          if (!button) throw new Error(`Message ${messageId} has no button "${label}".`)
          return press(messageId, button.callback_data)
        },
        forges: press,
      }
    },
    shown: (chatId) => shown.get(chatId) ?? [],
    block: (chatId) => void blocked.add(chatId),
    migrate(from, to, { isTold = true } = {}) {
      movedTo.set(from, to)
      shown.set(to, [])
      if (!isTold) return
      const of = (id: number, type: 'group' | 'supergroup') => ({
        message_id: ++lastMessageId,
        date: seconds(),
        chat: { id, type, title: 'Group' },
        from: BOT,
      })
      const told = (message: object): void => {
        send({ message: message as Update['message'] & object })
      }
      told({ ...of(from, 'group'), migrate_to_chat_id: to })
      told({ ...of(to, 'supergroup'), migrate_from_chat_id: from })
    },
    deleteTopic: (chatId, threadId) => void goneTopics.add(`${chatId}:${threadId}`),
    answerOf: (queryId) => answers.get(queryId),
    fileAt: (path) => files.get(path),
    answer(method, payload) {
      switch (method) {
        case 'getMe':
          return BOT
        case 'sendMessage':
          return add(payload, { ...readMessageText(payload), document: undefined })
        case 'editMessageText':
          return edit(payload, readMessageText(payload))
        case 'editMessageReplyMarkup':
          return edit(payload, {})
        case 'deleteMessage':
          return remove(payload)
        case 'sendDocument':
          return addDocument(payload)
        case 'answerCallbackQuery':
          return answerQuery(payload)
        case 'sendChatAction':
          chatOf(payload)
          return true
        case 'getFile':
          return getFile(payload)
        default:
          throw new Refused(404, 'Not Found: method not found')
      }
    },
  }
}

/** The parts of a text that Telegram marks by itself. */
function entitiesOf(text: string): Partial<Message> {
  const marks = [
    ['bot_command', /(?<![\w/])\/\w+(?:@\w+)?/g],
    ['mention', /(?<![\w/])@\w{5,32}(?!\w|\.\w)/g],
  ] as const
  const entities = marks.flatMap(([type, mark]) =>
    [...text.matchAll(mark)].map(({ 0: { length }, index: offset }) => ({ type, offset, length })),
  )
  if (entities.length === 0) return {}
  return { entities: entities.toSorted((a, b) => a.offset - b.offset) }
}
