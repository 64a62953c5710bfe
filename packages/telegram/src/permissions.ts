import { TelegramError } from './telegram-error.ts'

/** What somebody may do: write to the assistant, and decide about what it asks. */
export type TelegramRight = 'talk' | 'approve'

/** Who it is, and where. Numbers, since names can change hands. */
export interface TelegramWho {
  readonly userId: number
  /** That of the user in a private chat. */
  readonly chatId: number
}

/**
 * Somebody who is allowed something. With `user` alone it holds in the private chat with the bot, with
 * `chat` alone for everybody in that chat, with both for that user there.
 */
export interface AllowedEntry {
  readonly user?: number
  readonly chat?: number
  readonly may: readonly TelegramRight[]
}

/** Who may do what: a list, or a function that is asked every time. */
export type Allow =
  | readonly AllowedEntry[]
  | ((who: TelegramWho) => readonly TelegramRight[] | PromiseLike<readonly TelegramRight[]>)

/** Whether somebody may do something. What is not allowed is refused. */
export type IsAllowed = (who: TelegramWho, right: TelegramRight) => Promise<boolean>

/**
 * What holds for a chat holds for it where it is now, too: whoever runs the bot may know it by either number.
 *
 * @param outside where a chat is now
 */
export function permissions(allow: Allow, outside: (chatId: number) => number): IsAllowed {
  const isAllowed = readAllow(allow)
  return async (who, right) => {
    if (await isAllowed(who, right)) return true
    const chatId = outside(who.chatId)
    return chatId !== who.chatId && isAllowed({ ...who, chatId }, right)
  }
}

/** Throws `invalid_option` for an entry that would hold for everybody. */
function readAllow(allow: Allow): IsAllowed {
  if (typeof allow === 'function') return async (who, right) => (await allow(who)).includes(right)
  for (const { user, chat, may } of allow) {
    const isNamed = user !== undefined || chat !== undefined
    const isKnown = [user, chat].every((id) => id === undefined || Number.isSafeInteger(id))
    if (isNamed && isKnown && may.every((right) => right === 'talk' || right === 'approve'))
      continue
    throw new TelegramError(
      'invalid_option',
      "An entry of allow names a user or a chat by its number, and what they may: 'talk', 'approve'.",
    )
  }
  return async (who, right) =>
    allow.some(({ user, chat, may }) => {
      const isHere = chat === undefined ? who.chatId === who.userId : chat === who.chatId
      return isHere && (user === undefined || user === who.userId) && may.includes(right)
    })
}
