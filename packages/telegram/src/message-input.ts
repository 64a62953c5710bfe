import type { JSONValue } from 'ai'
import type { FileFetcher } from './incoming-files.ts'
import type { IncomingMessage } from './incoming-message.ts'
import { oneLine, quotedName } from './others-words.ts'

/** A message as the assistant reads it: what it refers to, then what the person says. */
export function messageText(message: IncomingMessage): string {
  const { text, links, othersWords, isPrivate, userName, files } = message
  const said = [text, ...links].filter((words) => words !== '').join('\n')
  // Where several people talk, the assistant has to know who does.
  const isNamed = !isPrivate && (said !== '' || othersWords.length > 0)
  const own = isNamed ? `${speaker(userName)}: ${said}`.trim() : said
  const isShared = othersWords.length > 0 && files.length > 0 && text === ''
  const note = isShared ? '[The files below were forwarded with it.]' : ''
  return [...othersWords, note, own].filter((words) => words !== '').join('\n\n')
}

/** A name as people have them; any other one stands in quotation marks, so that it cannot look like another speaker. */
function speaker(name: string): string {
  return /^[\p{L}\p{M}\p{N} .'’-]{1,80}$/u.test(name) ? oneLine(name) : quotedName(name)
}

/** The same as the input of a task, with its files. */
export async function messageInput(
  message: IncomingMessage,
  files: FileFetcher,
): Promise<JSONValue | 'too-large'> {
  const text = messageText(message)
  if (message.files.length === 0) return text
  const fetched: JSONValue[] = []
  for (const file of message.files) {
    const part = await files.fetch(file)
    if (part === undefined) return 'too-large'
    fetched.push(part)
  }
  return text === '' ? fetched : [{ type: 'text', text }, ...fetched]
}

/** The same after an edit of one message of an album, which brings none of the other files. */
export function withNewText(message: IncomingMessage, input: JSONValue): JSONValue {
  const text = messageText(message)
  const parts = Array.isArray(input) ? input : []
  const isText = (part: JSONValue): boolean =>
    typeof part === 'object' && part !== null && 'type' in part && part['type'] === 'text'
  const files = parts.filter((part) => !isText(part))
  return text === '' ? files : [{ type: 'text', text }, ...files]
}
