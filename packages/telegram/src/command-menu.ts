import type { BotCommand } from 'grammy/types'
import { BUILT_IN, type BuiltInName } from './built-in-commands.ts'
import { TelegramError } from './telegram-error.ts'
import type { TelegramWords } from './words.ts'

/** A command of your own. */
export interface TelegramCommand {
  /** Without the slash: 1 to 32 of a–z, 0–9 and "_". */
  readonly name: string
  /** Shown in the menu of the app and by `/help`; 1 to 256 characters. */
  readonly description: string
  /**
   * Called when somebody who may talk sends it. A text is sent as it is (none when it is empty); a `prompt` is read by the
   * assistant as if the person had written it. When it throws, the person is told, and it is not called
   * again for this message.
   */
  run(call: TelegramCommandCall): TelegramCommandResult | PromiseLike<TelegramCommandResult>
}

/** What {@link TelegramCommand.run} comes to. */
export type TelegramCommandResult = string | { readonly prompt: string }

/** A command that somebody sent. */
export interface TelegramCommandCall {
  /** What follows the command. */
  readonly text: string
  readonly userId: number
  readonly userName: string
  readonly chatId: number
  readonly conversationId: string
}

/** Throws `invalid_option` for commands that Telegram would not take, or that are there already. */
export function checkCommands(own: readonly TelegramCommand[]): readonly TelegramCommand[] {
  const names = new Set<string>(BUILT_IN)
  for (const { name, description } of own) {
    const isFit =
      /^[a-z0-9_]{1,32}$/.test(name) && description.length > 0 && description.length <= 256
    if (!isFit || names.has(name)) {
      throw new TelegramError(
        'invalid_option',
        `Command ${JSON.stringify(name)}: a name is 1 to 32 of a-z, 0-9 and "_" and not taken (${BUILT_IN.join(', ')}), a description 1 to 256 characters.`,
      )
    }
    names.add(name)
  }
  return own
}

/** What a bot offers. */
export interface Offered {
  /** Commands of your own. */
  readonly own: readonly TelegramCommand[]
  readonly hasPermissions: boolean
}

/** What the menu of the app shows: yours first. */
export function menuOf({ own, hasPermissions }: Offered, words: TelegramWords): BotCommand[] {
  // Everybody has seen `/start`.
  const isShown = (name: BuiltInName) =>
    name !== 'start' && (name !== 'permissions' || hasPermissions)
  return [
    ...own.map(({ name, description }) => ({ command: name, description })),
    ...BUILT_IN.filter(isShown).map((name) => ({
      command: name,
      description: words.commands[name],
    })),
  ]
}

/** What `/help` says. */
export function helpText(offered: Offered, words: TelegramWords): string {
  const lines = menuOf(offered, words).map(
    ({ command, description }) => `/${command} – ${description}`,
  )
  return [words.help, '', ...lines].join('\n')
}
