import { soundsLikeYes } from './bare-answer.ts'
import type { ChannelGround, Effect } from './channel-ground.ts'
import type { Decisions } from './decisions.ts'
import { visible } from './evidence.ts'
import type { IncomingMessage } from './incoming-message.ts'
import type { KeptAsk } from './kept-asks.ts'
import type { Reminding } from './reminding.ts'
import { rich } from './rich-text.ts'
import { sendText } from './sending.ts'

/** Decides by replies to questions. */
export interface QuestionReplies {
  /** The question that a message replies to. */
  find(message: IncomingMessage): Promise<KeptAsk | undefined>
  /** Takes such a reply. */
  take(ask: KeptAsk, message: IncomingMessage): Promise<Effect[]>
}

export function questionReplies(
  ground: ChannelGround,
  decisions: Decisions,
  reminding: Reminding,
): QuestionReplies {
  const { asks, client, words, isAllowed } = ground

  return {
    async find({ repliesTo, repliesToToken, chatId }) {
      if (repliesTo === undefined) return undefined
      const known = await asks.byMessage(chatId, repliesTo)
      if (known || repliesToToken === undefined) return known
      // A question that is shown again is known by its buttons.
      const copied = await asks.get(repliesToToken)
      return copied?.chatId === chatId ? copied : undefined
    },

    async take(found, message) {
      const { chatId, userId, userName, said: text, messageId, threadId } = message
      const target = { chatId, messageId, ...(threadId !== undefined && { threadId }) }
      const say = (words: string): Effect => {
        return () => client.inChat(chatId, (make) => sendText(make, target, rich(words)))
      }
      if (!(await isAllowed({ userId, chatId }, 'approve'))) return [say(words.mayNotDecide)]
      const ask = await decisions.expire(found)
      if (ask.isOver && !ask.decision) return [say(words.lapsed)]
      if (text === '') return [say(words.unreadable)]
      const isOutput = ask.call.kind === 'output'
      // A written yes must not deny, and only a button approves.
      if (!isOutput && !ask.decision && soundsLikeYes(text)) {
        return [reminding.show(ask, words.useButtons)]
      }
      const outcome = isOutput ? 'answered' : 'no'
      const taken = await decisions.take(ask, { outcome, words: text, userId, userName })
      const { decision, isFirst } = taken
      const settle: Effect = () => decisions.settle(ask.token)
      const isOwn = decision.userId === userId && decision.words === text
      return isFirst || isOwn
        ? [settle]
        : [say(words.replyTooLate(visible(decision.userName))), settle]
    },
  }
}
