import { safeValidateUIMessages, type UIMessage } from 'ai'
import type { Task } from './inbox.ts'
import { WorkerError } from './worker-error.ts'

/**
 * What a task says, as the message of a person: its input is a text, or the parts of a `UIMessage`.
 * Throws `invalid_argument` for any other.
 */
export async function toTaskMessage({ id, input }: Task, messageId: string): Promise<UIMessage> {
  const parts = typeof input === 'string' ? [{ type: 'text', text: input }] : input
  const checked = await safeValidateUIMessages({
    messages: [{ id: messageId, role: 'user', parts }],
  })
  const [message] = checked.success ? checked.data : []
  if (message && message.parts.length > 0) return message
  const cause = checked.success ? undefined : checked.error
  throw new WorkerError(
    'invalid_argument',
    `Task ${id} says nothing that can be sent: its input is a text, or the parts of a UIMessage.`,
    { cause },
  )
}
