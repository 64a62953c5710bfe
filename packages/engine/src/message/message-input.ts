import type { FileUIPart, UIMessage } from 'ai'
import { EngineError } from '../errors.ts'

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
  const { parts, ...rest } = contentOf(input)
  if (parts.length === 0) {
    throw new EngineError('invalid_argument', 'A message needs a text, a file or another part.')
  }
  const message = { id: generateId(), role: 'user' as const, ...defined(rest), parts }
  // The parts are the user's own or text and files, which every message type has.
  return message as UIMessage as MESSAGE
}

/** The text of a message: its text parts, one per line. */
export function textOf(message: UIMessage): string {
  return message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}

function contentOf<MESSAGE extends UIMessage>(
  input: MessageInput<MESSAGE>,
): Partial<UIMessage> & Pick<UIMessage, 'parts'> {
  if (typeof input === 'string') return { parts: textParts(input) }
  if (typeof input !== 'object' || input === null) {
    throw new EngineError(
      'invalid_argument',
      'A message is a string or an object with text, files or parts.',
    )
  }
  if ('parts' in input) {
    if (!Array.isArray(input.parts)) {
      throw new EngineError('invalid_argument', 'The parts of a message are a list.')
    }
    return { id: input.id, role: input.role, metadata: input.metadata, parts: input.parts }
  }
  return {
    metadata: input.metadata,
    parts: [...(input.files ?? []), ...textParts(input.text ?? '')],
  }
}

function textParts(text: string): UIMessage['parts'] {
  return text.trim() === '' ? [] : [{ type: 'text', text }]
}

function defined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as T
}
