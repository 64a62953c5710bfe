import type { InlineKeyboardButton, InlineKeyboardMarkup } from 'grammy/types'
import type { KeptAsk } from './kept-asks.ts'
import type { TelegramWords } from './words.ts'

/** What a button says that is to be done. */
export type AskAction =
  | 'yes'
  | 'sure'
  | 'no'
  | 'always'
  | 'always-input'
  | 'always-tool'
  | 'back'
  /** Of a receipt. */
  | 'revoke'
  /** Of a list of permissions: its token names one of these. */
  | 'take-back'

const ACTIONS: readonly string[] = [
  'yes',
  'sure',
  'no',
  'always',
  'always-input',
  'always-tool',
  'back',
  'revoke',
  'take-back',
] satisfies AskAction[]

/** Which buttons a question shows. */
export type AskPage = 'question' | 'confirm' | 'always'

/** Telegram gives 64 bytes: a token, by which all else is found here, and the action. */
function dataOf({ token }: KeptAsk, action: AskAction): string {
  return `${token}:${action}`
}

/** Reads the data of any button. */
export function readButton(
  data: string | undefined,
): { token: string; action: AskAction } | undefined {
  const [, token, action] = /^([\w-]{22}):([a-z-]+)$/.exec(data ?? '') ?? []
  return token !== undefined && isAction(action) ? { token, action } : undefined
}

function isAction(action: string | undefined): action is AskAction {
  return action !== undefined && ACTIONS.includes(action)
}

/** Whether a call may be allowed for more than this once. What cannot be undone may not. */
export function mayBeAlways({ call }: KeptAsk): boolean {
  return call.kind === 'approval' && call.risk !== 'destroy'
}

/** Whether a yes has to be given twice. */
export function asksTwice({ call }: KeptAsk): boolean {
  return call.kind === 'approval' && call.risk === 'destroy'
}

export function keyboardOf(
  ask: KeptAsk,
  page: AskPage,
  words: TelegramWords,
): InlineKeyboardMarkup {
  const button = (text: string, action: AskAction): InlineKeyboardButton => ({
    text,
    callback_data: dataOf(ask, action),
  })
  const back = [button(words.back, 'back')]
  if (page === 'confirm') return { inline_keyboard: [[button(words.confirm, 'sure')], back] }
  if (page === 'always') {
    return {
      inline_keyboard: [
        [button(words.alwaysInput, 'always-input')],
        [button(words.alwaysTool(shortName(ask.call.toolName)), 'always-tool')],
        back,
      ],
    }
  }
  if (ask.call.kind === 'output') return { inline_keyboard: [[button(words.noAnswer, 'no')]] }
  const always = mayBeAlways(ask) ? [button(words.always, 'always')] : []
  return {
    inline_keyboard: [[button(words.approve, 'yes'), ...always], [button(words.deny, 'no')]],
  }
}

/** Below the receipt of an “Always” that holds. */
export function receiptKeyboard(ask: KeptAsk, words: TelegramWords): InlineKeyboardMarkup {
  return { inline_keyboard: [[{ text: words.revoke, callback_data: dataOf(ask, 'revoke') }]] }
}

/** Names of tools are a model's or a server's word. */
function shortName(toolName: string): string {
  return toolName.replace(/[^\w.:-]/g, '?').slice(0, 40)
}
