import type { Update } from 'grammy/types'
import type { ChatRecords } from './telegram-records.ts'

/**
 * The numbers of chats that have another one by now, as a group has that became a supergroup. All else
 * knows a chat by its first number: conversations, permissions, questions. So numbers are put in
 * the place of each other where updates come in, and where calls go out.
 */
export interface ChatMoves {
  /** By which number Telegram knows it. */
  outside(chatId: number): number
  /** By which number the channel knows it. */
  inside(chatId: number): number
  /** Notes a move; what follows knows of it at once, and it is durable when this resolves. */
  note(from: number, to: number): Promise<void>
  /** Reads what is known from before. */
  load(): Promise<void>
  /** The same update, from the chat that the channel knows; learns what it tells of moves. */
  read(update: Update): Update
}

/** @param track is given what goes on by itself */
export function chatMoves(
  records: ChatRecords,
  track: (work: Promise<unknown>) => void,
): ChatMoves {
  const outside = new Map<number, number>()
  const inside = new Map<number, number>()

  function learn(from: number, to: number): number {
    const first = inside.get(from) ?? from
    outside.set(first, to)
    inside.set(to, first)
    return first
  }

  async function note(from: number, to: number): Promise<void> {
    if (from === to || outside.get(inside.get(from) ?? from) === to) return
    await records.move(learn(from, to), to)
  }

  return {
    outside: (chatId) => outside.get(chatId) ?? chatId,
    inside: (chatId) => inside.get(chatId) ?? chatId,
    note,
    async load() {
      for (const { from, to } of await records.moves()) learn(from, to)
    },
    read(update) {
      const message = update.message ?? update.edited_message ?? update.callback_query?.message
      const chat = message?.chat
      if (!chat) return update
      const { migrate_to_chat_id: to, migrate_from_chat_id: from } = update.message ?? {}
      if (to !== undefined) track(note(chat.id, to))
      if (from !== undefined) track(note(from, chat.id))
      // It was parsed for this.
      chat.id = inside.get(chat.id) ?? chat.id
      return update
    },
  }
}
