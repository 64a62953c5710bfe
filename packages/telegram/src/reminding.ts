import type { ChannelGround, Effect } from './channel-ground.ts'
import { keyboardOf } from './ask-buttons.ts'
import { reminderText } from './ask-text.ts'
import { currentConversation } from './current-conversation.ts'
import type { Decisions } from './decisions.ts'
import type { KeptAsk } from './kept-asks.ts'
import { sendText } from './sending.ts'
import { readReplyTo, type TaskTarget } from './task-target.ts'

/** Shows questions again to people who write while one waits. */
export interface Reminding {
  /** The questions of a conversation that wait for somebody, oldest first. */
  waiting(target: TaskTarget): Promise<KeptAsk[]>
  /** Shows a question again below some words, with its buttons, as a reply to itself. */
  show(ask: KeptAsk, say: string, more?: number): Effect
}

export function reminding(ground: ChannelGround, decisions: Decisions): Reminding {
  const { botId, inbox, asks, client, clock, words } = ground

  return {
    async waiting(target) {
      const conversationId = await currentConversation(ground, target)
      const found: KeptAsk[] = []
      for (const ask of await asks.notOver()) {
        const { expiresAt = Infinity } = ask
        // One that is not sent yet is about to be.
        const isShown = ask.messageId !== undefined && !ask.decision && expiresAt > clock.now()
        if (!isShown || ask.chatId !== target.chatId) continue
        const task = await inbox.get(ask.taskId)
        if (task?.state === 'parked' && task.conversationId === conversationId) found.push(ask)
      }
      return found
    },

    show:
      (ask, say, more = 0) =>
      async () => {
        const { chatId, token, messageId } = ask
        const threadId = readReplyTo(botId, (await inbox.get(ask.taskId))?.replyTo)?.threadId
        const target = { chatId, messageId, ...(threadId !== undefined && { threadId }) }
        const text = reminderText(ask.call, say, more, words)
        const keyboard = keyboardOf(ask, 'question', words)
        const sent = await client.inChat(chatId, (make) =>
          sendText(make, target, text, { keyboard }),
        )
        await decisions.addCopy(token, sent.message_id)
      },
  }
}
