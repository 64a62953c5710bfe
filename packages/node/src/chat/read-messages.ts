import { setImmediate as nextTurn } from 'node:timers/promises'
import { safeValidateUIMessages, type UIMessage } from 'ai'
import { z } from 'zod'
import { freezeDeep } from '../own-copy.ts'
import { fieldText } from './field-text.ts'
import { RequestError } from './request-error.ts'

/** How long a conversation may be. */
export interface ConversationBounds {
  readonly maxMessages: number
  /** Of all messages together. */
  readonly maxParts: number
}

/** So many parts are checked before others have their turn. */
const PARTS_AT_A_TIME = 100

/** Some messages, or some parts of one, that are checked at once. */
interface Slice {
  readonly messages: unknown[]
  /** Where it begins. */
  readonly message: number
  readonly part: number
}

/**
 * Checks the messages of a request. All callbacks of the app are shown them, and none can change them.
 *
 * @throws RequestError 413 for a conversation that is too long, 400 for messages that are none
 */
export async function readMessages(
  value: unknown,
  { maxMessages, maxParts }: ConversationBounds,
): Promise<UIMessage[]> {
  if (!Array.isArray(value)) {
    throw new RequestError(400, 'bad-messages', 'The body must have "messages", a list.')
  }
  const given: unknown[] = value
  if (given.length > maxMessages) throw tooLong(`${maxMessages} messages`)
  const count = given.reduce((sum: number, message) => sum + partsOf(message).length, 0)
  if (count > maxParts) throw tooLong(`${maxParts} parts`)
  const messages: UIMessage[] = []
  for (const slice of slicesOf(given)) {
    const checked = await safeValidateUIMessages({ messages: slice.messages.map(withDenials) })
    if (!checked.success) throw badMessages(checked.error, slice)
    const [first, ...rest] = freezeDeep(checked.data)
    const last = slice.part > 0 ? messages.pop() : undefined
    if (first) messages.push(last ? { ...last, parts: [...last.parts, ...first.parts] } : first)
    messages.push(...rest)
    await nextTurn()
  }
  const foreign = messages.findIndex(({ role }) => role === 'system')
  if (foreign === -1) return freezeDeep(messages)
  const message = `messages[${foreign}]: system messages are the server's to write.`
  throw new RequestError(400, 'bad-messages', message)
}

function partsOf(message: unknown): readonly unknown[] {
  const isObject = typeof message === 'object' && message !== null && 'parts' in message
  return isObject && Array.isArray(message.parts) ? message.parts : []
}

/** A conversation in slices; an empty one is one slice, which is refused. */
function slicesOf(messages: readonly unknown[]): Slice[] {
  const slices: Slice[] = []
  let open: Slice = { messages: [], message: 0, part: 0 }
  let count = 0
  const close = (message: number, part: number): void => {
    if (open.messages.length > 0) slices.push(open)
    open = { messages: [], message, part }
    count = 0
  }
  messages.forEach((message, index) => {
    const parts = partsOf(message)
    if (count + parts.length > PARTS_AT_A_TIME) close(index, 0)
    if (parts.length <= PARTS_AT_A_TIME || typeof message !== 'object') {
      open.messages.push(message)
      count += Math.max(1, parts.length)
      return
    }
    for (let at = 0; at < parts.length; at += PARTS_AT_A_TIME) {
      close(index, at)
      open.messages.push({ ...message, parts: parts.slice(at, at + PARTS_AT_A_TIME) })
    }
    close(index + 1, 0)
  })
  close(messages.length, 0)
  return slices.length > 0 ? slices : [open]
}

/**
 * The message with no yes to a call that was denied: when a rule denies after a yes, the stream says
 * only that, and what is left of the yes would make the message malformed for ever.
 */
function withDenials(message: unknown): unknown {
  const { success, data } = PARTS.safeParse(message)
  if (!success) return message
  const parts = data.parts.map((part) => {
    const denied = DENIED.safeParse(part)
    if (!denied.success) return part
    return { ...denied.data, approval: { ...denied.data.approval, approved: false } }
  })
  return { ...data, parts }
}

const PARTS = z.looseObject({ parts: z.array(z.unknown()) })
const DENIED = z.looseObject({ state: z.literal('output-denied'), approval: z.looseObject({}) })

function badMessages({ cause }: Error, { message, part }: Slice): RequestError {
  const issue = cause instanceof z.core.$ZodError ? cause.issues[0] : undefined
  // As it stands in the whole: the slice begins later.
  const path = issue?.path.map((key, index) => {
    if (typeof key !== 'number') return key
    return key + (index === 0 ? message : index === 2 && issue.path[1] === 'parts' ? part : 0)
  })
  const text = fieldText('messages', issue && { ...issue, path: path ?? [] })
  return new RequestError(400, 'bad-messages', text)
}

function tooLong(most: string): RequestError {
  const message = `The conversation must have at most ${most}. Begin a new one, or send less of it.`
  return new RequestError(413, 'too-large', message)
}
