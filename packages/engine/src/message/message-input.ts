import type { FileUIPart, UIMessage } from 'ai'
import { EngineError } from '../errors.ts'
import { given } from './given.ts'

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
    throw invalid('A message needs a text, a file or another part.')
  }
  const message = { id: generateId(), role: 'user' as const, ...given(rest), parts }
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
    throw invalid('A message is a string or an object with text, files or parts.')
  }
  if ('parts' in input) {
    const { id, role, metadata } = input
    return { id, role, metadata, parts: listOf('parts', input.parts) }
  }
  const { text = '', files = [], metadata } = input
  return { metadata, parts: [...listOf('files', files), ...textParts(text)] }
}

/** A copy, so that the message does not change with the input. */
function listOf<PART extends object>(name: 'parts' | 'files', list: readonly PART[]): PART[] {
  const isPart = (part: unknown): boolean =>
    typeof part === 'object' && part !== null && 'type' in part
  if (Array.isArray(list) && list.every(isPart)) return [...list]
  throw invalid(`The ${name} of a message are a list of message parts.`)
}

function textParts(text: string): UIMessage['parts'] {
  if (typeof text !== 'string') throw invalid('The text of a message is a string.')
  return text.trim() === '' ? [] : [{ type: 'text', text }]
}

function invalid(message: string): EngineError {
  return new EngineError('invalid_argument', message)
}
