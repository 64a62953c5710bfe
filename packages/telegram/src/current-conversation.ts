import type { ChannelGround } from './channel-ground.ts'
import { toPlace, type TaskTarget } from './task-target.ts'

type Ground = Pick<ChannelGround, 'botId' | 'places'>

/** The conversation that a chat, or a topic of it, is in. */
export async function currentConversation(
  { botId, places }: Ground,
  target: TaskTarget,
): Promise<string> {
  const place = toPlace(botId, target)
  return (await places.conversation(place)) ?? place
}

/** Begins another one with a message; the same one again changes nothing. */
export async function beginConversation(
  { botId, places }: Ground,
  target: TaskTarget & { readonly messageId: number },
): Promise<void> {
  const place = toPlace(botId, target)
  const { chatId, messageId } = target
  await places.begin({ place, chatId, messageId, conversationId: `${place}/${messageId}` })
}
