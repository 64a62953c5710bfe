import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Update } from 'grammy/types'
import { Refused, type Payload } from './bot-api-rules.ts'
import { createChats, type FakeChats } from './fake-chats.ts'

/** A call that reached the server, and what became of it. */
export interface SeenCall {
  readonly method: string
  readonly payload: Payload
  readonly at: number
  /** `undefined` when the connection was cut in place of an answer. */
  readonly status: number | undefined
}

/** What a call meets with. */
export interface Fault {
  /** `file` for the content of a file. */
  readonly method?: string
  readonly chatId?: number
  /** How many calls. Default 1. */
  readonly times?: number
  /** How many such calls go well before. Default 0. */
  readonly after?: number
  /** With `hold`: it takes effect before it is held. Default: it does after that. */
  readonly isDone?: boolean
  /**
   * A status to answer with, the connection cut before or after the call takes effect, no answer until
   * {@link FakeBotApi.release}, or half of its answer and then nothing more, or the connection cut.
   */
  readonly by:
    | 400
    | 401
    | 404
    | 500
    | 502
    | 'cut-before'
    | 'cut-after'
    | 'hold'
    | 'half-body'
    | 'half-body-cut'
}

/** How a call is met, beside what tests ask for one by one; `undefined`: as always. */
export type Weather = (call: {
  readonly method: string
  readonly chatId: number
}) => Fault['by'] | 429 | undefined

/** A Bot API on the loopback, with Telegram's own rules, for one bot. */
export interface FakeBotApi extends FakeChats {
  readonly url: string
  readonly token: string
  readonly calls: readonly SeenCall[]
  /** Calls that came before the time that Telegram had told them to wait was over. */
  readonly impatientCalls: readonly SeenCall[]
  /** Every update that there was. */
  readonly sent: readonly Update[]
  /** The next update has this number, as after a week without any. */
  numberFrom(updateId: number): void
  /** From now on a chat takes nothing for so long, by the clock of the test. */
  flood(chatId: number, seconds: number): void
  fail(fault: Fault): void
  /** Meets every call from now on. */
  setWeather(weather: Weather | undefined): void
  /** Changes what a poll answers: `news` are not confirmed, `past` has every update so far. */
  setOrder(
    order: ((news: readonly Update[], past: readonly Update[]) => Update[]) | undefined,
  ): void
  /** The address for one process, which can be cut off from it for good. */
  urlOf(process: string): string
  cutOff(process: string): void
  /** Another process asks for updates with the same token, and confirms none. */
  conflict(): void
  /** Updates that nobody has confirmed. */
  pending(): number
  /** Whether somebody waits for updates. */
  isPolled(): boolean
  /** How many calls are held. */
  heldCalls(): number
  /** Lets calls that are held go on. */
  release(): void
  /** Resolves with the next call that is answered or cut. */
  nextCall(signal: AbortSignal): Promise<unknown>
  close(): Promise<void>
}

export const BOT_ID = 4_242

const DESCRIPTIONS = {
  400: 'Bad Request: no',
  401: 'Unauthorized',
  404: 'Not Found',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
}

export async function startBotApi(now: () => number): Promise<FakeBotApi> {
  const token = `${BOT_ID}:fake-token-of-the-bot`
  const events = new EventEmitter().setMaxListeners(0)
  const calls: SeenCall[] = []
  const impatientCalls: SeenCall[] = []
  const faults: { fault: Fault; left: number; before: number }[] = []
  let held = 0
  const closedUntil = new Map<number, number>()
  /** Those that no `getUpdates` has confirmed. */
  const updates: Update[] = []
  const sent: Update[] = []
  let weather: Weather | undefined
  let order: Parameters<FakeBotApi['setOrder']>[0]
  const gone = new Set<string>()
  let poll: { end: (refusal: Refused) => void } | undefined
  let lastUpdateId = 7_000
  const chats = createChats({
    now,
    send(update) {
      const numbered = { ...update, update_id: ++lastUpdateId }
      updates.push(numbered)
      sent.push(numbered)
      events.emit('update')
      return lastUpdateId
    },
  })

  /** Hands updates out from an offset on; all before it are confirmed, and never seen again. */
  async function getUpdates(payload: Payload, request: IncomingMessage): Promise<Update[]> {
    const { offset = 0, limit = 100, timeout = 0 } = payload
    const from = Number(offset)
    poll?.end(new Refused(409, 'Conflict: terminated by other getUpdates request'))
    while (updates[0] !== undefined && updates[0].update_id < from) updates.shift()
    if (updates.length === 0 && Number(timeout) > 0) {
      const given = new AbortController()
      const { promise, reject } = Promise.withResolvers<never>()
      const own = { end: reject }
      poll = own
      events.emit('call')
      const gone = () => reject(new Refused(499, 'gone'))
      request.socket.once('close', gone)
      try {
        await Promise.race([once(events, 'update', { signal: given.signal }), promise])
      } finally {
        given.abort()
        request.socket.off('close', gone)
        if (poll === own) poll = undefined
      }
    }
    const news = updates.slice(0, Number(limit))
    return order ? order(news, sent) : news
  }

  async function answer(
    method: string,
    payload: Payload,
    request: IncomingMessage,
  ): Promise<unknown> {
    switch (method) {
      case 'getUpdates':
        return getUpdates(payload, request)
      case 'deleteWebhook':
      case 'setWebhook':
      case 'setMyCommands':
        return true
      default:
        return chats.answer(method, payload)
    }
  }

  function takeFault(method: string, chatId: number): Fault | undefined {
    const found = faults.find(
      ({ fault, left }) =>
        left > 0 &&
        (fault.method === undefined || fault.method === method) &&
        (fault.chatId === undefined || fault.chatId === chatId),
    )
    if (!found) return undefined
    if (found.before > 0) {
      found.before--
      return undefined
    }
    found.left--
    return found.fault
  }

  function met(method: string, chatId: number): { by?: Fault['by']; isDone?: boolean } {
    const by = weather?.({ method, chatId })
    if (by === undefined) return {}
    if (by !== 429) return { by }
    if (!Number.isNaN(chatId)) closedUntil.set(chatId, now() + 5_000)
    return {}
  }

  async function hold(): Promise<void> {
    held++
    events.emit('call')
    await once(events, 'release')
    held--
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, process, rest] = /^\/process-([\w-]+)(\/.*)$/.exec(request.url ?? '') ?? []
    if (process !== undefined && gone.has(process)) {
      request.socket.destroy()
      return
    }
    const [, kind = '', ...path] = (rest ?? request.url ?? '').split('/')
    if (kind === 'file') return serveFile(path, request, response)
    const method = path[0] ?? ''
    const payload = await readPayload(request)
    const chatId = Number(payload['chat_id'] ?? Number.NaN)
    const note = (status: number | undefined): SeenCall => {
      const call = { method, payload, at: now(), status }
      calls.push(call)
      return call
    }
    const send = (status: number, body: unknown): void => {
      const call = note(status)
      if (status === 429 && calls.some((seen) => isSameHold(seen, call))) impatientCalls.push(call)
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      events.emit('call')
    }
    const cut = (): void => {
      note(undefined)
      request.socket.destroy()
      events.emit('call')
    }
    const isSameHold = (seen: SeenCall, call: SeenCall): boolean =>
      seen !== call &&
      seen.status === 429 &&
      Number(seen.payload['chat_id']) === chatId &&
      call.at < (closedUntil.get(chatId) ?? 0)

    try {
      if (kind !== `bot${token}`) throw new Refused(401, 'Unauthorized')
      const { by: fault, isDone = false } = takeFault(method, chatId) ?? met(method, chatId)
      if (fault === 'cut-before') return cut()
      if (fault === 'hold' && !isDone) await hold()
      if (typeof fault === 'number') throw new Refused(fault, DESCRIPTIONS[fault])
      const heldMs = (closedUntil.get(chatId) ?? 0) - now()
      if (heldMs > 0) {
        const seconds = Math.ceil(heldMs / 1_000)
        throw new Refused(429, `Too Many Requests: retry after ${seconds}`, {
          retry_after: seconds,
        })
      }
      const result = await answer(method, payload, request)
      if (fault === 'hold' && isDone) await hold()
      if (fault === 'cut-after') return cut()
      if (fault === 'half-body' || fault === 'half-body-cut') {
        note(undefined)
        const body = Buffer.from(JSON.stringify({ ok: true, result }))
        return await sendHalf(response, body, fault === 'half-body-cut')
      }
      send(200, { ok: true, result })
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      const { status, message: description, parameters } = error
      send(status, { ok: false, error_code: status, description, parameters })
    }
  }

  /** The network breaks in the middle of an answer, and says so or not. */
  async function sendHalf(
    response: ServerResponse,
    body: Uint8Array,
    isCut: boolean,
  ): Promise<void> {
    response.writeHead(200, { 'content-length': body.length })
    const half = body.subarray(0, body.length >> 1)
    await new Promise<void>((resolve) => response.write(half, () => resolve()))
    if (isCut) {
      response.destroy()
      events.emit('call')
      return
    }
    held++
    events.emit('call')
    await once(response, 'close')
    held--
  }

  async function serveFile(
    [bot, ...path]: readonly string[],
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const bytes = bot === `bot${token}` ? chats.fileAt(path.join('/')) : undefined
    const { by: fault } = takeFault('file', Number.NaN) ?? {}
    if (fault === 'cut-before') request.socket.destroy()
    else if (bytes && fault !== undefined) await sendHalf(response, bytes, fault !== 'half-body')
    else if (bytes) response.writeHead(200).end(bytes)
    else response.writeHead(404).end()
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      response.writeHead(599).end(String(error))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')

  return {
    ...chats,
    url: `http://127.0.0.1:${address.port}`,
    token,
    calls,
    impatientCalls,
    sent,
    numberFrom: (updateId) => void (lastUpdateId = updateId - 1),
    flood: (chatId, seconds) => void closedUntil.set(chatId, now() + seconds * 1_000),
    fail: (fault) => void faults.push({ fault, left: fault.times ?? 1, before: fault.after ?? 0 }),
    setWeather: (next) => void (weather = next),
    setOrder: (next) => void (order = next),
    urlOf: (process) => `http://127.0.0.1:${address.port}/process-${process}`,
    cutOff: (process) => void gone.add(process),
    conflict: () => poll?.end(new Refused(409, 'Conflict: terminated by other getUpdates request')),
    pending: () => updates.length,
    isPolled: () => poll !== undefined,
    heldCalls: () => held,
    release: () => void events.emit('release'),
    nextCall: (signal) => once(events, 'call', { signal }),
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

async function readPayload(request: IncomingMessage): Promise<Payload> {
  const chunks: Uint8Array[] = []
  for await (const chunk of request) chunks.push(chunk)
  const body = Buffer.concat(chunks)
  const type = request.headers['content-type'] ?? ''
  if (!type.startsWith('multipart/'))
    return body.length === 0 ? {} : JSON.parse(body.toString('utf8'))
  const form = await new Response(body, { headers: { 'content-type': type } }).formData()
  return Object.fromEntries(
    await Promise.all(
      [...form].map(async ([name, value]) => [
        name,
        typeof value === 'string'
          ? value
          : { name: value.name, bytes: new Uint8Array(await value.arrayBuffer()) },
      ]),
    ),
  )
}
