import type { Update } from 'grammy/types'
import type { ChannelGround } from './channel-ground.ts'
import { readMessage, type BotIdentity } from './incoming-message.ts'
import { rich } from './rich-text.ts'
import { sendText } from './sending.ts'

/**
 * Tells people whose messages cannot be kept for now, each once until they can be: nothing else of what is to be remembered
 * is there, so this is known to the process alone. Nobody else than who may talk is told, as far as that can be checked.
 */
export function tellUnkept(
  { client, words, isAllowed, report }: ChannelGround,
  identify: () => Promise<BotIdentity>,
): (updates: readonly Update[]) => Promise<void> {
  const told = new Set<number>()

  async function tell({ message: said }: Update): Promise<void> {
    const message = said && readMessage([said], await identify())
    if (!message || told.has(message.chatId)) return
    const { userId, chatId, messageId } = message
    if (!(await isAllowed({ userId, chatId }, 'talk'))) return
    told.add(chatId)
    await client.hint(chatId, (make) =>
      sendText(make, { chatId, messageId }, rich(words.notKeptYet)),
    )
  }

  return async (updates) => {
    if (updates.length === 0) told.clear()
    // One after the other, so that a chat is told once.
    for (const update of updates) await tell(update).catch(report)
  }
}
