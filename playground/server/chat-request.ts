import { isToolUIPart, safeValidateUIMessages, type UIMessage } from 'ai'
import { z } from 'zod'
import { RequestError } from './request-error.ts'

const MAX_BODY_BYTES = 8 * 1024 * 1024

/** The body of a chat request, its messages checked; `tools` is as it came. */
export interface ChatRequest {
  messages: UIMessage[]
  tools: unknown
}

/**
 * Reads and checks the body of a chat request, as the AI SDK's transports post it.
 *
 * @throws RequestError 413 for a body over 8 MB, 415 for another type than JSON, 400 for anything
 *   else that is wrong with it
 */
export async function readChatRequest(request: Request): Promise<ChatRequest> {
  const type = request.headers.get('content-type') ?? ''
  // A type that a form can send would let any web page post here without asking the browser.
  if (!/^application\/json\b/iu.test(type)) {
    throw new RequestError(415, 'not-json', 'Send the conversation as application/json.')
  }
  const body = parseJson(await readText(request))
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new RequestError(400, 'bad-body', 'The body must be a JSON object with "messages".')
  }
  const messages = await readMessages('messages' in body ? body.messages : undefined)
  return { messages, tools: 'tools' in body ? body.tools : undefined }
}

async function readText(request: Request): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  if (!request.body) return text
  for await (const chunk of request.body) {
    bytes += chunk.byteLength
    if (bytes > MAX_BODY_BYTES) {
      throw new RequestError(413, 'too-large', `The body must be at most ${MAX_BODY_BYTES} bytes.`)
    }
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

async function readMessages(value: unknown): Promise<UIMessage[]> {
  if (!Array.isArray(value)) {
    throw new RequestError(400, 'bad-messages', 'The body must have "messages", a list.')
  }
  const checked = await safeValidateUIMessages({ messages: value })
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
  requireAnswered(messages.at(-1))
  return messages
}

/**
 * With one call of a step approved and another one open, the AI SDK would run the first and then
 * fail on the second.
 */
function requireAnswered(message: UIMessage | undefined): void {
  if (message?.role !== 'assistant') return
  const step = message.parts.findLastIndex(({ type }) => type === 'step-start')
  for (const part of message.parts.slice(step + 1)) {
    if (!isToolUIPart(part) || part.providerExecuted === true) continue
    const open =
      part.state === 'input-streaming' ||
      part.state === 'input-available' ||
      part.state === 'approval-requested' ||
      (part.state === 'output-available' && part.preliminary === true)
    if (open) {
      throw new RequestError(
        400,
        'open-call',
        `The call ${part.toolCallId} has neither a result nor an answered approval. Settle every call of the step before you send it.`,
      )
    }
  }
}

function firstIssue(error: Error): string {
  const { cause } = error
  const issue = cause instanceof z.core.$ZodError ? cause.issues[0] : undefined
  if (!issue) return `messages: ${error.message.slice(0, 300)}`
  const place = issue.path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
  return `messages${place.join('')}: ${issue.message}`
}
