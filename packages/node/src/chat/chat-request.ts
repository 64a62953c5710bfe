import type { UIMessage } from 'ai'
import { readJson, type BodyBounds } from './read-body.ts'
import { readMessages, type ConversationBounds } from './read-messages.ts'
import { RequestError } from './request-error.ts'

/** The body of a chat request, its messages checked. */
export interface ChatRequest {
  /** `''` when the request named none: then its stream cannot be taken up again. */
  readonly chatId: string
  readonly messages: UIMessage[]
  readonly name: RequestName
  /** As it came. */
  readonly tools: unknown
  /** The whole of it, as it came. */
  readonly body: Readonly<Record<string, unknown>>
}

/** What tells a request from others of its conversation. */
export interface RequestName {
  /** By its own word, or else by what it says; `undefined` for one that asks for another answer. */
  readonly requestId: string | undefined
  /** Whether it has named itself. */
  readonly isNamed: boolean
  /** Requests whose answers its page does not wait for any more. */
  readonly supersedes: readonly string[]
}

/** Ids of conversations are the page's to choose; a longer one is no id. */
const MAX_ID_LENGTH = 512

/**
 * Reads and checks the body of a chat request, as the AI SDK's transports post it.
 *
 * @throws RequestError as `readJson` does, and 400 for anything else that is wrong with it
 */
export async function readChatRequest(
  request: Request,
  bounds: BodyBounds & ConversationBounds,
): Promise<ChatRequest> {
  const { value: body, digest } = await readJson(request, bounds)
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new RequestError(400, 'bad-body', 'The body must be a JSON object with "messages".')
  }
  const fields = new Map<string, unknown>(Object.entries(body))
  return {
    chatId: readId(fields.get('id')),
    messages: await readMessages(fields.get('messages'), bounds),
    name: readName(fields, digest),
    tools: fields.get('tools'),
    body: Object.fromEntries(fields),
  }
}

/** More are not left behind by one page. */
const MAX_SUPERSEDED = 16

function readName(fields: ReadonlyMap<string, unknown>, digest: string): RequestName {
  const named = fields.get('requestId')
  const superseded = fields.get('supersedes') ?? []
  const isList = Array.isArray(superseded) && superseded.length <= MAX_SUPERSEDED
  const supersedes: unknown[] = isList ? superseded : [undefined]
  if (!supersedes.every(isId) || (named !== undefined && !isId(named))) {
    throw new RequestError(
      400,
      'bad-body',
      `requestId must be a string of 1 to ${MAX_ID_LENGTH} characters, and supersedes a list of at most ${MAX_SUPERSEDED} of these.`,
    )
  }
  // Who regenerates wants another answer to the same.
  const isRepeatable = fields.get('trigger') !== 'regenerate-message'
  const byContent = isRepeatable ? `sha256:${digest}` : undefined
  return { requestId: named ?? byContent, isNamed: named !== undefined, supersedes }
}

function isId(id: unknown): id is string {
  return typeof id === 'string' && id !== '' && id.length <= MAX_ID_LENGTH
}

function readId(id: unknown): string {
  if (id === undefined) return ''
  if (isId(id)) return id
  throw new RequestError(
    400,
    'bad-body',
    `id must be the id of the conversation, a string of 1 to ${MAX_ID_LENGTH} characters.`,
  )
}
