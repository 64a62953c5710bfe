import { errorCode } from '@assent/engine/error-code'
import { InputFile, type Transformer } from 'grammy'
import type { ApiResponse } from 'grammy/types'
import type { ChatMoves } from './chat-moves.ts'
import { TelegramError } from './telegram-error.ts'
import { CALL_LIMIT_MS, FILE_LIMIT_MS, POLL_LIMIT_MS } from './time-limits.ts'
import type { Clock } from './waiting.ts'

export interface BotHttpOptions {
  readonly token: string
  readonly apiRoot: string
  readonly clock: Clock
  readonly moves: ChatMoves
  /** What ends calls of a method before their time. */
  readonly signalOf: (method: string) => AbortSignal
}

/** Failures of the network before anything was sent. */
const NOT_SENT: ReadonlySet<string | undefined> = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** That the topic of a call is not there, or takes nothing. */
const NO_TOPIC = /message thread not found|TOPIC_(DELETED|CLOSED)/i

/**
 * Makes the calls of grammY's client by the `fetch` of Node. A time limit covers the body, too: a
 * network that breaks in the middle of one does not say so. A call to a chat that has moved is made again
 * where it is now, and one to a topic that is gone in its chat.
 *
 * @throws TelegramError `unreachable`; what Telegram refuses is an answer
 */
export function botHttp(options: BotHttpOptions): Transformer {
  return (_next, method, payload) => postToChat(options, method, { ...payload })
}

type Content = Readonly<Record<string, unknown>>

async function postToChat<T>(
  options: BotHttpOptions,
  method: string,
  content: Content,
): Promise<ApiResponse<T>> {
  const { moves } = options
  const { chat_id: chatId, message_thread_id: topic, ...rest } = content
  if (typeof chatId !== 'number') return post(options, method, content)
  const send = (body: Content): Promise<ApiResponse<T>> =>
    post(options, method, { ...body, chat_id: moves.outside(chatId) })
  let answer = await send(content)
  const movedTo = answer.ok ? undefined : answer.parameters?.migrate_to_chat_id
  if (movedTo !== undefined) {
    await moves.note(chatId, movedTo)
    answer = await send(content)
  }
  // What was said there still has to be read somewhere.
  const isGone = topic !== undefined && !answer.ok && NO_TOPIC.test(answer.description)
  return isGone ? send(rest) : answer
}

async function post<T>(
  { token, apiRoot, clock, signalOf }: BotHttpOptions,
  method: string,
  content: Content,
): Promise<ApiResponse<T>> {
  const hasFile = Object.values(content).some((value) => value instanceof InputFile)
  const limit = timeLimit(clock, hasFile ? FILE_LIMIT_MS : limitOf(method))
  try {
    const response = await fetch(`${apiRoot}/bot${token}/${method}`, {
      method: 'POST',
      signal: AbortSignal.any([signalOf(method), limit]),
      ...(hasFile ? { body: await toForm(content) } : toJson(content)),
    })
    const answer: unknown = JSON.parse(await response.text())
    if (isAnswer<T>(answer)) return answer
    throw new SyntaxError(`HTTP ${response.status} is no answer of the Bot API`)
  } catch (error) {
    throw unreachable(error)
  }
}

/** A signal that aborts after so many milliseconds. */
export function timeLimit(clock: Clock, ms: number): AbortSignal {
  return clock.timeout?.(ms) ?? AbortSignal.timeout(ms)
}

function limitOf(method: string): number {
  return method === 'getUpdates' ? POLL_LIMIT_MS : CALL_LIMIT_MS
}

/** Nothing that it says has the address in it, which has the token. */
export function unreachable(error: unknown): TelegramError {
  const code = errorCode(error instanceof Error && error.cause ? error.cause : error)
  const isLate = error instanceof Error && error.name === 'TimeoutError'
  const isForeign = error instanceof SyntaxError
  const why = isLate ? 'no answer in time' : isForeign ? 'a broken answer' : 'network failure'
  return new TelegramError(
    'unreachable',
    `Telegram could not be reached (${code ?? why}); look at the network.`,
    { mayHaveArrived: !NOT_SENT.has(code) },
  )
}

function toJson(content: Readonly<Record<string, unknown>>) {
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(content) }
}

async function toForm(content: Readonly<Record<string, unknown>>): Promise<FormData> {
  const form = new FormData()
  for (const [name, value] of Object.entries(content)) {
    if (value === undefined) continue
    if (value instanceof InputFile) {
      form.set(name, await readFile(value), value.filename)
    } else {
      form.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value))
    }
  }
  return form
}

async function readFile(file: InputFile): Promise<Blob> {
  const raw = await file.toRaw()
  const parts: Uint8Array<ArrayBuffer>[] = []
  if (raw instanceof Uint8Array) parts.push(new Uint8Array(raw))
  else for await (const part of raw) parts.push(new Uint8Array(part))
  return new Blob(parts)
}

/** What comes from the address of the Bot API, and has the form of its answers, is one. */
function isAnswer<T>(value: unknown): value is ApiResponse<T> {
  return (
    typeof value === 'object' && value !== null && 'ok' in value && typeof value.ok === 'boolean'
  )
}
