import type { MessageEngine } from '@assent/engine'
import type { UIMessage } from 'ai'
import type { Inbox } from './inbox.ts'
import { taskIdOf } from './own-message.ts'

/**
 * Takes the messages of discarded tasks out of a conversation, so that the model is not asked about what was given
 * up. Those that got an answer stay: calls may have run in it.
 */
export async function dropDiscarded(engine: MessageEngine, inbox: Inbox): Promise<void> {
  const { messages } = engine.getState()
  const isUnanswered = ({ role }: UIMessage, index: number) =>
    role === 'user' && messages[index + 1]?.role !== 'assistant'
  const discarded = new Set<UIMessage>()
  for (const message of messages.filter(isUnanswered)) {
    const task = await inbox.get(taskIdOf(message.id))
    if (task?.state === 'failed') discarded.add(message)
  }
  if (discarded.size > 0) engine.setMessages(messages.filter((message) => !discarded.has(message)))
}
