import { createAnthropic } from '@ai-sdk/anthropic'
import {
  convertToModelMessages,
  createUIMessageStreamResponse,
  isStepCount,
  jsonSchema,
  streamText,
  tool,
  toUIMessageStream,
  type UIMessage,
} from 'ai'
import { finishMetadata, isPausedTurn, type FinishMetadata } from '../src/finish-metadata.ts'
import { isRecord } from '../src/message/tool-part.ts'
import { events, startEvents, startServer, type LoopbackServer } from './loopback-server.ts'

/** A block of a model's answer, as Anthropic's Messages API streams it. */
export type Block = { readonly type: string } & Readonly<Record<string, unknown>>

/** An answer of the model: its blocks, and why it ended. */
export interface ProviderAnswer {
  readonly blocks: readonly Block[]
  readonly stop: 'pause_turn' | 'end_turn' | 'max_tokens'
  /** The container that its code runs in. */
  readonly container?: string
}

/** What a request to the Messages API says. */
export interface ProviderRequest {
  readonly messages: readonly { role: string; content: readonly Record<string, unknown>[] }[]
  readonly [field: string]: unknown
}

/** A provider that speaks Anthropic's protocol, and a chat route in front of it, both on loopback. */
export interface PausingProvider extends AsyncDisposable {
  /** The URL of the route. */
  readonly api: string
  /** The bodies that the route received. */
  routeBodies(): { messages: UIMessage[]; [field: string]: unknown }[]
  /** The bodies that the provider received. */
  providerBodies(): ProviderRequest[]
}

/** How a {@link PausingProvider} answers. */
export interface PausingProviderOptions {
  /** The n-th request to the provider is answered by the n-th of these. */
  answers: readonly ProviderAnswer[]
  /** The route tells its client why the provider ended. Default `true`. */
  isReasonForwarded?: boolean
  /** The route asks the provider for up to so many steps, but for those that it has paused. Default 1. */
  steps?: number
}

/** What the route tells its client beside the answer. */
type AnswerMetadata = (Partial<FinishMetadata> & { container?: string }) | undefined

/** A text block. */
export function saying(text: string): Block {
  return { type: 'text', text }
}

/** A search that the provider runs itself. */
export function serverSearch(id: string, query: string): Block {
  return { type: 'server_tool_use', id, name: 'web_search', input: { query } }
}

/** What a search of the provider found. */
export function searchResult(id: string, title: string): Block {
  const url = `https://example.com/${id}`
  const found = {
    type: 'web_search_result',
    url,
    title,
    encrypted_content: `sealed ${id}`,
    page_age: null,
  }
  return { type: 'web_search_tool_result', tool_use_id: id, content: [found] }
}

/** A call of a tool that the client runs. */
export function clientCall(id: string, name: string, input: unknown): Block {
  return { type: 'tool_use', id, name, input }
}

/** Starts provider and route. The route is made as the AI SDK's documentation makes one. */
export async function startPausingProvider({
  answers,
  isReasonForwarded = true,
  steps = 1,
}: PausingProviderOptions): Promise<PausingProvider> {
  const provider = await startServer((response, _request, count) => {
    const answer = answers[count - 1]
    if (answer) startEvents(response).end(events(...messageEvents(answer, count)))
    else response.writeHead(500).end()
  })
  const anthropic = createAnthropic({ baseURL: provider.origin, apiKey: 'none' })
  const tools = {
    web_search: anthropic.tools.webSearch_20250305({ maxUses: 5 }),
    read: tool({ inputSchema: jsonSchema<{ path: string }>({ type: 'object' }) }),
  }

  async function respond(messages: UIMessage<AnswerMetadata>[]): Promise<Response> {
    const container = messages.at(-1)?.metadata?.container
    const result = streamText({
      model: anthropic('claude-sonnet-4-5'),
      tools,
      messages: await convertToModelMessages(messages),
      ...(container && { providerOptions: { anthropic: { container: { id: container } } } }),
      stopWhen: [isStepCount(steps), isPausedTurn],
      maxRetries: 0,
      onError: () => {},
    })
    return createUIMessageStreamResponse({
      stream: toUIMessageStream({
        stream: result.stream,
        tools,
        originalMessages: messages,
        generateMessageId: () => 'answer',
        messageMetadata({ part }): AnswerMetadata {
          if (part.type === 'finish' && isReasonForwarded) {
            return finishMetadata({ part })
          }
          if (part.type !== 'finish-step') return undefined
          const { container: used } = part.providerMetadata?.['anthropic'] ?? {}
          return isRecord(used) ? { container: String(used['id']) } : undefined
        },
        onError: String,
      }),
    })
  }

  const route = await startServer((response, { body }) => {
    void respond(JSON.parse(body).messages).then(async (result) => {
      response.writeHead(result.status, Object.fromEntries(result.headers))
      if (result.body !== null) for await (const bytes of result.body) response.write(bytes)
      response.end()
    })
  })
  const bodiesOf = ({ received }: LoopbackServer) => received.map(({ body }) => JSON.parse(body))
  return {
    api: route.origin,
    routeBodies: () => bodiesOf(route),
    providerBodies: () => bodiesOf(provider),
    async [Symbol.asyncDispose]() {
      await route[Symbol.asyncDispose]()
      await provider[Symbol.asyncDispose]()
    },
  }
}

/** The events of one answer, from `message_start` to `message_stop`. */
function messageEvents({ blocks, stop, container }: ProviderAnswer, count: number): object[] {
  const message = {
    id: `msg_${count}`,
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 1 },
  }
  return [
    { type: 'message_start', message },
    ...blocks.flatMap((block, index) => blockEvents(block, index)),
    {
      type: 'message_delta',
      delta: {
        stop_reason: stop,
        stop_sequence: null,
        ...(container && { container: { id: container, expires_at: '2030-01-01T00:00:00Z' } }),
      },
      usage: { output_tokens: 9 },
    },
    { type: 'message_stop' },
  ]
}

/** Texts and inputs are streamed, results come with the start of their block. */
function blockEvents(block: Block, index: number): object[] {
  const start = (content_block: object) => ({ type: 'content_block_start', index, content_block })
  const deltas = (...all: object[]) =>
    all.map((delta) => ({ type: 'content_block_delta', index, delta }))
  const stop = { type: 'content_block_stop', index }
  if (block.type === 'text') {
    const delta = { type: 'text_delta', text: block['text'] }
    return [start({ ...block, text: '' }), ...deltas(delta), stop]
  }
  if (!('input' in block)) return [start(block), stop]
  const json = JSON.stringify(block['input'])
  const pieces = [json.slice(0, 7), json.slice(7)]
  const inputs = pieces.map((partial_json) => ({ type: 'input_json_delta', partial_json }))
  return [start({ ...block, input: {} }), ...deltas(...inputs), stop]
}
