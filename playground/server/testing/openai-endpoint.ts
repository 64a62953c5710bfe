import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { z } from 'zod'

/** A message of a recorded request, as OpenAI's chat completions name its fields. */
export type EndpointMessage = z.infer<typeof chatMessage>

/** A request that the endpoint received. */
export interface EndpointRequest {
  readonly headers: IncomingHttpHeaders
  readonly model: string
  readonly messages: readonly EndpointMessage[]
  /** Names of the offered tools. */
  readonly tools: readonly string[]
}

/** What the endpoint does with one request. */
export type EndpointAnswer =
  | {
      readonly text?: string
      readonly reasoning?: string
      readonly calls?: readonly {
        readonly id: string
        readonly name: string
        readonly input: unknown
      }[]
    }
  /** Answers with this status instead of a stream. */
  | { readonly status: number; readonly message: string }
  /** Streams the text, then sends an error in the stream. */
  | { readonly text: string; readonly streamError: string }
  /** Streams the text, then cuts the connection when the promise resolves. */
  | { readonly text: string; readonly cut: Promise<void> }
  /** Streams the text, and the rest of it when the promise resolves. */
  | { readonly text: string; readonly rest: Promise<string> }
  /** Streams the text, then says nothing more until the client goes away. */
  | { readonly text: string; readonly hang: true }

/** A running endpoint. */
export interface OpenAIEndpoint {
  /** The base URL for `ASSENT_BASE_URL`, as far as `/v1`. */
  readonly url: string
  /** What was received, in order. */
  readonly requests: readonly EndpointRequest[]
  /** Resolves when a client goes away from an answer that hangs. */
  readonly clientGone: Promise<void>
  readonly close: () => Promise<void>
}

const chatMessage = z.object({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z.unknown(),
  tool_call_id: z.string().optional(),
  tool_calls: z
    .array(
      z.object({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) }),
    )
    .optional(),
})

const chatBody = z.object({
  model: z.string(),
  stream: z.literal(true),
  messages: z.array(chatMessage).min(1),
  tools: z
    .array(z.object({ type: z.literal('function'), function: z.object({ name: z.string() }) }))
    .optional(),
})

/**
 * Starts a scripted OpenAI-compatible endpoint on loopback: `POST /v1/chat/completions`, streaming.
 * As strict as real ones: a history with a tool call that has no result, or a result without a call,
 * is answered with status 400.
 *
 * @param answer what to do with a request, given how many came before it
 */
export async function startOpenAIEndpoint(
  answer: (request: EndpointRequest, index: number) => EndpointAnswer,
): Promise<OpenAIEndpoint> {
  const requests: EndpointRequest[] = []
  const gone = Promise.withResolvers<void>()
  const server = createServer((incoming, outgoing) => {
    const serve = async () => {
      if (incoming.method !== 'POST' || incoming.url !== '/v1/chat/completions') {
        refuse(outgoing, 404, `No route ${incoming.method} ${incoming.url}`)
        return
      }
      const text = (await incoming.toArray()).map(String).join('')
      const body = chatBody.safeParse(JSON.parse(text))
      if (!body.success) {
        refuse(outgoing, 400, z.prettifyError(body.error))
        return
      }
      const { model, messages, tools = [] } = body.data
      const request: EndpointRequest = {
        headers: incoming.headers,
        model,
        messages,
        tools: tools.map((tool) => tool.function.name),
      }
      requests.push(request)
      const flaw = historyFlaw(messages)
      if (flaw === undefined)
        await stream(outgoing, answer(request, requests.length - 1), gone.resolve)
      else refuse(outgoing, 400, flaw)
    }
    serve().catch((error: unknown) => outgoing.destroy(error instanceof Error ? error : undefined))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    clientGone: gone.promise,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function refuse(outgoing: ServerResponse, status: number, message: string): void {
  outgoing.writeHead(status, { 'content-type': 'application/json' })
  outgoing.end(JSON.stringify({ error: { message, type: 'invalid_request_error' } }))
}

/** What is wrong with the tool calls of a history; `undefined` when nothing is. */
function historyFlaw(messages: readonly EndpointMessage[]): string | undefined {
  let open = new Set<string>()
  for (const { role, tool_calls: calls, tool_call_id: result } of messages) {
    if (role === 'tool') {
      if (result === undefined || !open.delete(result)) return `Result of no call: ${result}`
      continue
    }
    if (open.size > 0) break
    open = new Set(calls?.map(({ id }) => id))
  }
  return open.size > 0 ? `Calls without a result: ${[...open].join(', ')}` : undefined
}

async function stream(
  outgoing: ServerResponse,
  answer: EndpointAnswer,
  onGone: () => void,
): Promise<void> {
  if ('status' in answer) {
    refuse(outgoing, answer.status, answer.message)
    return
  }
  outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
  const send = async (data: object) => {
    outgoing.write(`data: ${JSON.stringify(data)}\n\n`)
    await setImmediate()
  }
  const delta = (value: object, finishReason: string | null = null) =>
    send({
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      created: 1_700_000_000,
      model: 'scripted',
      choices: [{ index: 0, delta: value, finish_reason: finishReason }],
    })
  await delta({ role: 'assistant' })
  if ('reasoning' in answer && answer.reasoning !== undefined) {
    for (const piece of pieces(answer.reasoning)) await delta({ reasoning_content: piece })
  }
  for (const piece of pieces(answer.text ?? '')) await delta({ content: piece })
  if ('cut' in answer) {
    await answer.cut
    outgoing.destroy()
    return
  }
  if ('hang' in answer) {
    outgoing.on('close', onGone)
    return
  }
  if ('rest' in answer) {
    for (const piece of pieces(await answer.rest)) await delta({ content: piece })
  }
  if ('streamError' in answer) {
    await send({ error: { message: answer.streamError, type: 'server_error' } })
    outgoing.end()
    return
  }
  const calls = ('calls' in answer && answer.calls) || []
  for (const [index, { id, name, input }] of calls.entries()) {
    const call = (value: object) => delta({ tool_calls: [{ index, ...value }] })
    await call({ id, type: 'function', function: { name, arguments: '' } })
    for (const piece of pieces(JSON.stringify(input)))
      await call({ function: { arguments: piece } })
  }
  await delta({}, calls.length > 0 ? 'tool_calls' : 'stop')
  await send({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'scripted',
    choices: [],
    usage: { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 },
  })
  outgoing.end('data: [DONE]\n\n')
}

function pieces(text: string): string[] {
  return text.match(/[\s\S]{1,7}/gu) ?? []
}
