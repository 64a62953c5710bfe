import type { CallbackQuery } from 'grammy/types'
import type { ChannelGround } from './channel-ground.ts'
import type { Commands } from './commands.ts'
import {
  repeatedTaskId,
  withoutFiles,
  type FailureAction,
  type FailureButton,
} from './failure-buttons.ts'
import type { Outcome } from './press-outcome.ts'
import { editKeyboard } from './sending.ts'
import { readReplyTo } from './task-target.ts'

/** Does what people press below the words that a message came to nothing. */
export type FailedAgain = (query: CallbackQuery, button: FailureButton) => Promise<Outcome>

export function failedAgain(ground: ChannelGround, begin: Commands['begin']): FailedAgain {
  const { botId, inbox, messages, client, clock, words, isAllowed } = ground
  const said: Readonly<Record<FailureAction, string>> = {
    again: words.tryingAgain,
    without: words.tryingWithout,
    new: '',
  }

  return async ({ message, from }, { messageId, count, action }) => {
    if (!message) return { say: words.unknownButton, isAlert: true }
    const chatId = message.chat.id
    const userId = from.id
    if (!(await isAllowed({ userId, chatId }, 'talk'))) {
      return { say: words.mayNotTalk, isAlert: true }
    }
    const first = `telegram:${botId}:${chatId}:${messageId}`
    const task = await inbox.get(repeatedTaskId(first, count))
    const next = repeatedTaskId(first, count + 1)
    const target = readReplyTo(botId, task?.replyTo)
    const hideButtons = (): Promise<void> =>
      client.inChat(chatId, (make) =>
        editKeyboard(make, chatId, message.message_id, { inline_keyboard: [] }),
      )
    // One that was pressed before a crash is gone through again.
    if (!task || !target || !(task.state === 'dead' || (await inbox.get(next)))) {
      return { say: words.failureOver, isAlert: true, after: hideButtons }
    }
    if (action === 'new') {
      const userName = [from.first_name, from.last_name ?? ''].join(' ').trim()
      await inbox.discard(task.id)
      const effect = await begin({ ...target, messageId: message.message_id }, { userId, userName })
      const after = async (): Promise<void> => {
        await hideButtons()
        await effect()
      }
      return { say: said.new, after }
    }
    const input = action === 'without' ? withoutFiles(task.input) : task.input
    if (input === undefined) return { say: words.failureOver, isAlert: true, after: hideButtons }
    const { conversationId, replyTo } = task
    const takenAt = clock.now()
    await messages.take({ taskId: next, conversationId, chatId, userId, messageId, takenAt })
    await inbox.add({ id: next, conversationId, input, ...(replyTo !== undefined && { replyTo }) })
    // What it said is said by the other one now.
    await inbox.discard(task.id)
    return { say: said[action], after: hideButtons }
  }
}
