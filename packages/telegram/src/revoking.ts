import type { Revocation } from '@assent/worker'
import type { CallbackQuery } from 'grammy/types'
import type { ChannelGround } from './channel-ground.ts'
import { currentConversation } from './current-conversation.ts'
import type { Decisions } from './decisions.ts'
import type { KeptAsk } from './kept-asks.ts'
import type { Outcome } from './press-outcome.ts'
import { editText } from './sending.ts'
import type { Standing } from './standing.ts'

/** Revokes standing permissions by what people press. */
export interface Revoking {
  /** The button of a receipt. */
  given(ask: KeptAsk, user: string, messageId: number): Promise<Outcome>
  /** A button of a list; `undefined` where none can have been shown. */
  listed(query: CallbackQuery, name: string): Promise<Outcome | undefined>
}

export function revokingByButtons(ground: ChannelGround, decisions: Decisions): Revoking {
  const { client, words, isAllowed, standing } = ground

  /** Takes a permission back, now or as soon as nobody works on its conversation. */
  async function revoke(
    held: Standing,
    revocation: Revocation,
    show: () => Promise<void>,
  ): Promise<Outcome> {
    const outcome = await held.revoke(revocation)
    if (outcome !== 'busy') {
      return { say: outcome === 'revoked' ? words.revoked : words.notStanding, after: show }
    }
    const later = async (): Promise<void> => {
      await held.revokeLater(revocation)
      await show()
    }
    return { say: words.revokeWaits, isAlert: true, after: later }
  }

  async function given(ask: KeptAsk, user: string, messageId: number): Promise<Outcome> {
    const made = await standing?.given(ask)
    const show = (): Promise<void> => decisions.showEnding(ask, messageId)
    if (!standing || made?.status !== 'holds') return { say: words.notStanding, after: show }
    const { revocation } = made
    return revocation
      ? revoke(standing, { ...revocation, user }, show)
      : { say: words.notStandingYet, isAlert: true }
  }

  /** A button of a list of permissions. */
  async function listed(
    { message, from }: CallbackQuery,
    name: string,
  ): Promise<Outcome | undefined> {
    if (!message || !standing) return undefined
    const chatId = message.chat.id
    const isTopic = 'is_topic_message' in message && message.is_topic_message === true
    const threadId = isTopic ? message.message_thread_id : undefined
    if (!(await isAllowed({ userId: from.id, chatId }, 'approve'))) {
      return { say: words.mayNotDecide, isAlert: true }
    }
    const target = { chatId, ...(threadId !== undefined && { threadId }) }
    const conversationId = await currentConversation(ground, target)
    const show = async (): Promise<void> => {
      const { text, keyboard } = await standing.list(conversationId)
      await client.inChat(chatId, (make) =>
        editText(make, chatId, message.message_id, text, keyboard),
      )
    }
    const found = await standing.find(conversationId, name)
    if (!found) return { say: words.notStanding, after: show }
    const user = `telegram:${from.id}`
    return revoke(standing, { conversationId, permissionId: found.id, user }, show)
  }

  return { given, listed }
}
