import type { Task } from '@assent/worker'
import type { JSONValue } from 'ai'
import type { InlineKeyboardButton, InlineKeyboardMarkup } from 'grammy/types'
import type { TelegramWords } from './words.ts'

/** What can be done about a message that came to nothing. */
export type FailureAction = 'again' | 'without' | 'new'

/** A button below such a message. */
export interface FailureButton {
  /** The message of the person. */
  readonly messageId: number
  /** How often it was said again before. */
  readonly count: number
  readonly action: FailureAction
}

/** Failures that are the doing of what the conversation, or its message, carries. */
const TOO_MUCH: ReadonlySet<string | undefined> = new Set(['files_refused', 'context_full'])

/** What is offered below the words that a task failed for good. */
export function failureKeyboard(
  task: Task,
  messageId: number,
  words: TelegramWords,
): InlineKeyboardMarkup {
  const count = countOf(task.id)
  const button = (text: string, action: FailureAction): InlineKeyboardButton[] => [
    { text, callback_data: `task:${messageId}:${count}:${action}` },
  ]
  const { code } = task.error ?? {}
  const rest = withoutFiles(task.input)
  return {
    inline_keyboard: [
      button(words.tryAgain, 'again'),
      ...(code === 'files_refused' && rest !== undefined
        ? [button(words.withoutFile, 'without')]
        : []),
      ...(TOO_MUCH.has(code) ? [button(words.newConversationButton, 'new')] : []),
    ],
  }
}

/** Reads the data of any button. */
export function readFailureButton(data: string | undefined): FailureButton | undefined {
  const [, messageId, count, action] =
    /^task:(\d{1,15}):(\d{1,4}):(again|without|new)$/.exec(data ?? '') ?? []
  if (action !== 'again' && action !== 'without' && action !== 'new') return undefined
  return { messageId: Number(messageId), count: Number(count), action }
}

/** The id of the task of a message that was said again so often. */
export function repeatedTaskId(taskId: string, count: number): string {
  return count === 0 ? taskId : `${taskId}/${count}`
}

function countOf(taskId: string): number {
  return Number(/\/(\d{1,4})$/.exec(taskId)?.[1] ?? 0)
}

/** What is said in a task beside its files; `undefined` when that is nothing. */
export function withoutFiles(input: JSONValue): JSONValue | undefined {
  if (!Array.isArray(input)) return undefined
  const isFile = (part: JSONValue): boolean =>
    typeof part === 'object' && part !== null && 'type' in part && part['type'] === 'file'
  const rest = input.filter((part) => !isFile(part))
  return rest.length === 0 || rest.length === input.length ? undefined : rest
}
