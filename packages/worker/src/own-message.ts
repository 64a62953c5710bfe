import type { UIMessage } from 'ai'

/**
 * The id of a task's message in its conversation: that of the task, so that another attempt finds what
 * the first one sent. A task that is replayed after the conversation went on is said anew, as another
 * message.
 */
export function messageIdFor(taskId: string, messages: readonly UIMessage[]): string {
  const said = messages.filter(({ id }) => isMessageOf(taskId, id)).length
  return said === 0 ? taskId : `${taskId}${AGAIN}${said + 1}`
}

/** Whether a message is one that a task has sent. */
export function isMessageOf(taskId: string, messageId: string | undefined): boolean {
  if (messageId === undefined || !messageId.startsWith(taskId)) return false
  const rest = messageId.slice(taskId.length)
  return rest === '' || (rest.startsWith(AGAIN) && /^\d+$/.test(rest.slice(AGAIN.length)))
}

/** The task that a message may have come from. */
export function taskIdOf(messageId: string): string {
  const at = messageId.lastIndexOf(AGAIN)
  const taskId = at === -1 ? messageId : messageId.slice(0, at)
  return isMessageOf(taskId, messageId) ? taskId : messageId
}

/** Stands between the id of a task and how often it was said. */
const AGAIN = '~said-'

/** The messages that follow the last one of the task, if nobody else has said anything since. */
export function answerTo(
  taskId: string,
  messages: readonly UIMessage[],
): readonly UIMessage[] | undefined {
  const last = messages.findLastIndex(({ role }) => role === 'user')
  return isMessageOf(taskId, messages[last]?.id) ? messages.slice(last + 1) : undefined
}
