import type { FileUIPart, UIMessage } from 'ai'
import { isDevelopment } from '../development.ts'
import { EngineError } from '../errors.ts'
import { given } from './given.ts'
import { isRecord } from './tool-part.ts'

/** A new message: its text, the AI SDK's `{ text?, files?, metadata? }`, or a message in parts. */
export type MessageInput<MESSAGE extends UIMessage = UIMessage> =
  | string
  | { text: string; files?: FileUIPart[]; metadata?: MESSAGE['metadata'] }
  | { text?: undefined; files: FileUIPart[]; metadata?: MESSAGE['metadata'] }
  | (Pick<MESSAGE, 'parts'> & Partial<Pick<MESSAGE, 'id' | 'role' | 'metadata'>>)

/**
 * The message that an input stands for: of role `user` and with a new id unless it names its own.
 * Throws `invalid_argument` when there is nothing in it to send.
 */
export function toMessage<MESSAGE extends UIMessage>(
  input: MessageInput<MESSAGE>,
  generateId: () => string,
): MESSAGE {
  // Nobody vouches for what is in it.
  const fields: Partial<Record<'text' | 'files' | 'parts' | 'id' | 'role' | 'metadata', unknown>> =
    typeof input === 'string' ? { text: input } : (input ?? {})
  const {
    id,
    role,
    metadata,
    text = '',
    files = [],
    parts = [files, textPart(text)].flat(),
  } = fields
  if (!Array.isArray(parts) || parts.length === 0 || !parts.every(isPart)) {
    throw new EngineError(
      'invalid_argument',
      isDevelopment &&
        'A message needs a text, or files or parts as in the AI SDK, and must not be empty.',
    )
  }
  // The list is a copy, so that the message does not change with the input.
  const said = given({ id, role, metadata, parts: [...parts] })
  return { id: generateId(), role: 'user', ...said } as UIMessage as MESSAGE
}

/** The text of a message: its text parts, one per line. */
export function textOf(message: UIMessage): string {
  return message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}

/** The part that a text makes, if there is anything in it; what is no text stays what it is. */
function textPart(text: unknown): unknown {
  if (typeof text !== 'string') return text
  return text.trim() === '' ? [] : { type: 'text', text }
}

function isPart(part: unknown): boolean {
  return isRecord(part) && 'type' in part
}
