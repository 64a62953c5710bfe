import { safeValidateUIMessages, type UIMessage } from 'ai'
import { z } from 'zod'
import { RequestError } from './request-error.ts'

/** The body of a chat request, its messages checked. */
export interface ChatRequest {
  /** `''` when the request named none: then its stream cannot be taken up again. */
  readonly chatId: string
  readonly messages: UIMessage[]
  /** As it came. */
  readonly tools: unknown
  /** The whole of it, as it came. */
  readonly body: Readonly<Record<string, unknown>>
}

/** Ids of conversations are the page's to choose; a longer one is no id. */
const MAX_ID_LENGTH = 512

/**
 * Reads and checks the body of a chat request, as the AI SDK's transports post it.
 *
 * @throws RequestError 413 for a body over `maxBytes`, 415 for another type than JSON, 400 for
 *   anything else that is wrong with it
 */
export async function readChatRequest(request: Request, maxBytes: number): Promise<ChatRequest> {
  const type = request.headers.get('content-type') ?? ''
  // A type that a form can send would let any web page post here without asking the browser.
  if (!/^application\/json\b/iu.test(type)) {
    throw new RequestError(415, 'not-json', 'Send the conversation as application/json.')
  }
  const body = parseJson(await readText(request, maxBytes))
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new RequestError(400, 'bad-body', 'The body must be a JSON object with "messages".')
  }
  const fields = new Map<string, unknown>(Object.entries(body))
  return {
    chatId: readId(fields.get('id')),
    messages: await readMessages(fields.get('messages')),
    tools: fields.get('tools'),
    body: Object.fromEntries(fields),
  }
}

async function readText(request: Request, maxBytes: number): Promise<string> {
  const tooLarge = () =>
    new RequestError(413, 'too-large', `The body must be at most ${maxBytes} bytes.`)
  if (Number(request.headers.get('content-length')) > maxBytes) throw tooLarge()
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  if (!request.body) return text
  for await (const chunk of request.body) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) throw tooLarge()
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new RequestError(400, 'bad-json', 'The body is not valid JSON.')
  }
}

function readId(id: unknown): string {
  if (id === undefined) return ''
  if (typeof id === 'string' && id !== '' && id.length <= MAX_ID_LENGTH) return id
  throw new RequestError(
    400,
    'bad-body',
    `id: must be the id of the conversation, a text of 1 to ${MAX_ID_LENGTH} characters.`,
  )
}

async function readMessages(value: unknown): Promise<UIMessage[]> {
  if (!Array.isArray(value)) {
    throw new RequestError(400, 'bad-messages', 'The body must have "messages", a list.')
  }
  const checked = await safeValidateUIMessages({ messages: value.map(withDenials) })
  if (!checked.success) throw new RequestError(400, 'bad-messages', firstIssue(checked.error))
  const messages = checked.data
  const foreign = messages.findIndex(({ role }) => role === 'system')
  if (foreign !== -1) {
    throw new RequestError(
      400,
      'bad-messages',
      `messages[${foreign}]: system messages are the server's to write.`,
    )
  }
  return messages
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

function firstIssue(error: Error): string {
  const { cause } = error
  const issue = cause instanceof z.core.$ZodError ? cause.issues[0] : undefined
  if (!issue) return `messages: ${error.message.slice(0, 300)}`
  const place = issue.path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
  return `messages${place.join('')}: ${issue.message}`
}
