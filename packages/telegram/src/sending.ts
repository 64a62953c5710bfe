import type { InlineKeyboardMarkup, Message } from 'grammy/types'
import type { MakeCall } from './bot-client.ts'
import { rich, type RichText } from './rich-text.ts'
import type { TaskTarget } from './task-target.ts'
import { TelegramError } from './telegram-error.ts'

/** How a message is sent beside its text. */
export interface SendOptions {
  readonly keyboard?: InlineKeyboardMarkup | undefined
  /** In front of the text when an earlier try may have arrived. */
  readonly repeated?: string
  /** It may have arrived before this. */
  readonly mayHaveArrived?: boolean
}

/** A page behind a link would learn that it was sent, and what is in the address. */
const NO_PREVIEW = { is_disabled: true }

/** Sends a message, without its formatting when Telegram does not take that. */
export async function sendText(
  make: MakeCall,
  target: TaskTarget,
  piece: RichText,
  options: SendOptions = {},
): Promise<Message> {
  const { chatId, threadId, messageId } = target
  const { keyboard, repeated, mayHaveArrived: mayHaveArrivedBefore = false } = options
  return withPlainText(piece, (sent) =>
    make((api, { mayHaveArrived }) => {
      const isMarked = repeated !== undefined && (mayHaveArrived || mayHaveArrivedBefore)
      const { text, entities } = isMarked ? rich(`${repeated}\n`, sent) : sent
      return api.sendMessage(chatId, text, {
        entities: [...entities],
        link_preview_options: NO_PREVIEW,
        ...(threadId !== undefined && { message_thread_id: threadId }),
        ...(messageId !== undefined && {
          reply_parameters: { message_id: messageId, allow_sending_without_reply: true },
        }),
        ...(keyboard && { reply_markup: keyboard }),
      })
    }),
  )
}

/** Replaces the text of a message, and its buttons by others or none. */
export async function editText(
  make: MakeCall,
  chatId: number,
  messageId: number,
  piece: RichText,
  keyboard?: InlineKeyboardMarkup,
): Promise<void> {
  try {
    await changeText(make, chatId, messageId, piece, keyboard)
  } catch (error) {
    ignoreRefusal(error)
  }
}

/**
 * Replaces the text of a message by another one that is to stand alone.
 *
 * @returns `false` when the message is not there, or cannot be changed any more
 */
export async function replaceText(
  make: MakeCall,
  chatId: number,
  messageId: number,
  piece: RichText,
): Promise<boolean> {
  try {
    await changeText(make, chatId, messageId, piece)
    return true
  } catch (error) {
    ignoreRefusal(error)
    return error instanceof Error && /message is not modified/.test(error.message)
  }
}

async function changeText(
  make: MakeCall,
  chatId: number,
  messageId: number,
  piece: RichText,
  keyboard?: InlineKeyboardMarkup,
): Promise<void> {
  await withPlainText(piece, ({ text, entities }) =>
    make((api) =>
      api.editMessageText(chatId, messageId, text, {
        entities: [...entities],
        link_preview_options: NO_PREVIEW,
        ...(keyboard && { reply_markup: keyboard }),
      }),
    ),
  )
}

/** Replaces the buttons of a message. */
export async function editKeyboard(
  make: MakeCall,
  chatId: number,
  messageId: number,
  keyboard: InlineKeyboardMarkup,
): Promise<void> {
  try {
    await make((api) => api.editMessageReplyMarkup(chatId, messageId, { reply_markup: keyboard }))
  } catch (error) {
    ignoreRefusal(error)
  }
}

/** The message is gone, too old, or as it should be already: there is nothing to change. */
function ignoreRefusal(error: unknown): void {
  if (!(error instanceof TelegramError && error.code === 'refused')) throw error
}

async function withPlainText<T>(
  piece: RichText,
  send: (piece: RichText) => Promise<T>,
): Promise<T> {
  try {
    return await send(piece)
  } catch (error) {
    const isRefused = error instanceof TelegramError && error.code === 'refused'
    if (!isRefused || piece.entities.length === 0) throw error
    return send({ text: piece.text, entities: [] })
  }
}
