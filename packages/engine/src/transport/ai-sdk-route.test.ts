import type { LanguageModelV4StreamPart, LanguageModelV4ToolCall } from '@ai-sdk/provider'
import {
  DefaultChatTransport,
  convertToModelMessages,
  createUIMessageStreamResponse,
  isStepCount,
  jsonSchema,
  streamText,
  tool,
  toUIMessageStream,
} from 'ai'
import type { UIMessage, UIMessageChunk } from 'ai'
import { MockLanguageModelV4, convertArrayToReadableStream } from 'ai/test'
import * as fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startServer } from '../../test/loopback-server.ts'
import type { LoopbackServer } from '../../test/loopback-server.ts'
import { httpTransport } from './http-transport.ts'
import type { MessageTransport } from './transport.ts'

/** What the model answers to the next request, one list of parts per step. */
let script: readonly LanguageModelV4StreamPart[][] = []
let status = 200
let server: LoopbackServer

const inputSchema = jsonSchema<Record<string, unknown>>({ type: 'object' })
const tools = {
  echo: tool({ inputSchema, execute: (input) => ({ echo: input }) }),
  fail: tool({
    inputSchema,
    execute: (): string => {
      throw new Error('the tool broke')
    },
  }),
  grow: tool({
    inputSchema,
    async *execute(input): AsyncGenerator<object> {
      yield { half: true }
      yield { whole: input }
    },
  }),
  ask: tool({ inputSchema, execute: () => 'never run here' }),
  browse: tool({ inputSchema }),
}

/** A route as the AI SDK's documentation writes it. */
async function answer(messages: UIMessage[]): Promise<Response> {
  let ids = 0
  const steps = script
  const model = new MockLanguageModelV4({
    doStream: steps.map((parts) => ({ stream: convertArrayToReadableStream([...parts]) })),
  })
  const result = streamText({
    model,
    tools,
    toolApproval: { ask: 'user-approval' },
    messages: await convertToModelMessages(messages),
    stopWhen: isStepCount(steps.length),
    onError: () => {},
    _internal: { generateId: () => `id-${(ids += 1)}` },
  })
  return createUIMessageStreamResponse({
    status,
    stream: toUIMessageStream({
      stream: result.stream,
      tools,
      sendSources: true,
      originalMessages: messages,
      generateMessageId: () => 'answer',
      messageMetadata: ({ part }) =>
        part.type === 'finish' ? { rawFinishReason: part.rawFinishReason } : undefined,
      onError: String,
    }),
  })
}

beforeAll(async () => {
  server = await startServer((response, { method, body }) => {
    const messages: UIMessage[] = method === 'GET' ? [] : JSON.parse(body).messages
    void answer(messages).then(async (result) => {
      response.writeHead(result.status, Object.fromEntries(result.headers))
      if (result.body !== null) for await (const bytes of result.body) response.write(bytes)
      response.end()
    })
  })
})

beforeEach(() => {
  status = 200
})

afterAll(() => server[Symbol.asyncDispose]())

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
}

const words = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.lorem())
const deltas = fc.array(words, { maxLength: 5 })
const metadata = fc.option(
  fc.dictionary(fc.constantFrom('a', 'b'), fc.string()).map((mock) => ({ mock })),
  { nil: undefined },
)

type Block = (id: string) => LanguageModelV4StreamPart[]

const text: fc.Arbitrary<Block> = fc
  .record({ deltas, metadata })
  .map(({ deltas, metadata }) => (id) => [
    { type: 'text-start', id, ...(metadata && { providerMetadata: metadata }) },
    ...deltas.map((delta): LanguageModelV4StreamPart => ({ type: 'text-delta', id, delta })),
    { type: 'text-end', id },
  ])
const reasoning: fc.Arbitrary<Block> = deltas.map((deltas) => (id) => [
  { type: 'reasoning-start', id },
  ...deltas.map((delta): LanguageModelV4StreamPart => ({ type: 'reasoning-delta', id, delta })),
  { type: 'reasoning-end', id, providerMetadata: { mock: { signature: id } } },
])
const source: fc.Arbitrary<Block> = fc
  .webUrl()
  .map((url) => (id) => [{ type: 'source', sourceType: 'url', id, url }])
const file: fc.Arbitrary<Block> = fc
  .base64String()
  .map((data) => () => [{ type: 'file', mediaType: 'image/png', data: { type: 'data', data } }])
const call: fc.Arbitrary<Block> = fc
  .record({
    toolName: fc.constantFrom(...Object.keys(tools), 'unknown'),
    input: fc.oneof(
      {
        weight: 4,
        arbitrary: fc.dictionary(fc.string(), fc.jsonValue()).map((v) => JSON.stringify(v)),
      },
      fc.constantFrom('{"cut', '', '3'),
    ),
    isStreamed: fc.boolean(),
  })
  .map(({ toolName, input, isStreamed }) => (id) => {
    const complete: LanguageModelV4ToolCall = { type: 'tool-call', toolCallId: id, toolName, input }
    return isStreamed
      ? [
          { type: 'tool-input-start', id, toolName },
          ...[...input].map((delta): LanguageModelV4StreamPart => ({
            type: 'tool-input-delta',
            id,
            delta,
          })),
          { type: 'tool-input-end', id },
          complete,
        ]
      : [complete]
  })
const failure: fc.Arbitrary<Block> = words.map((error) => () => [{ type: 'error', error }])

const step = fc
  .record({
    blocks: fc.array(
      fc.oneof(
        { weight: 3, arbitrary: text },
        reasoning,
        source,
        file,
        { weight: 3, arbitrary: call },
        { weight: 1, arbitrary: failure },
      ),
      { maxLength: 6 },
    ),
    unified: fc.constantFrom('stop' as const, 'length' as const, 'tool-calls' as const),
    raw: fc.option(fc.constantFrom('end_turn', 'pause_turn'), { nil: undefined }),
  })
  .map(({ blocks, unified, raw }) => (number: number): LanguageModelV4StreamPart[] => [
    { type: 'stream-start', warnings: [] },
    ...blocks.flatMap((block, index) => block(`${number}-${index}`)),
    { type: 'finish', usage, finishReason: { unified, raw } },
  ])

/** What random steps do not hold every time. */
const everyCall = (number: number): LanguageModelV4StreamPart[] => [
  { type: 'stream-start', warnings: [] },
  ...Object.keys(tools).map((toolName, index): LanguageModelV4StreamPart => ({
    type: 'tool-call',
    toolCallId: `${number}-${index}`,
    toolName,
    input: '{}',
  })),
  { type: 'finish', usage, finishReason: { unified: 'tool-calls', raw: undefined } },
]

const request: Parameters<MessageTransport['sendMessages']>[0] = {
  trigger: 'submit-message',
  chatId: 'chat',
  messageId: undefined,
  messages: [{ id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Go' }] }],
  abortSignal: undefined,
  headers: { 'X-Trace': '1' },
  body: { extra: { deep: true } },
}

async function read(stream: ReadableStream<UIMessageChunk> | null): Promise<UIMessageChunk[]> {
  const chunks: UIMessageChunk[] = []
  if (stream !== null) for await (const chunk of stream) chunks.push(chunk)
  return chunks
}

test(
  "streams the same chunks of a route as the AI SDK's own transport",
  { timeout: 60_000 },
  async () => {
    const ours = httpTransport({ api: server.origin })
    const theirs = new DefaultChatTransport({ api: server.origin })
    const seen = new Map<string, number>()
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 3 }), async (steps) => {
        script = steps.map((make, index) => make(index))
        const expected = await read(await theirs.sendMessages(request))
        expect(await read(await ours.sendMessages(request))).toStrictEqual(expected)
        for (const { type } of expected) seen.set(type, (seen.get(type) ?? 0) + 1)
      }),
      { numRuns: 60, examples: [[[everyCall]]] },
    )
    expect([...seen.keys()].toSorted()).toEqual(
      expect.arrayContaining([
        'error',
        'file',
        'finish',
        'finish-step',
        'reasoning-delta',
        'reasoning-end',
        'reasoning-start',
        'source-url',
        'start',
        'start-step',
        'text-delta',
        'text-end',
        'text-start',
        'tool-approval-request',
        'tool-input-available',
        'tool-input-delta',
        'tool-input-error',
        'tool-input-start',
        'tool-output-available',
        'tool-output-error',
      ]),
    )
  },
)

test("sends the same requests as the AI SDK's own transport", async () => {
  script = [[{ type: 'finish', usage, finishReason: { unified: 'stop', raw: undefined } }]]
  const options = {
    api: `${server.origin}/api/chat?k=v`,
    headers: async () => ({ Authorization: 'Bearer x' }),
    body: () => ({ session: 's' }),
  }
  const first = server.received.length
  for (const transport of [httpTransport(options), new DefaultChatTransport(options)]) {
    await read(await transport.sendMessages(request))
    await read(
      await transport.sendMessages({
        ...request,
        trigger: 'regenerate-message',
        messageId: 'm',
        headers: new Headers({ Authorization: 'Bearer y' }),
      }),
    )
    await read(await transport.reconnectToStream({ chatId: 'a b/c?', headers: { x: '1' } }))
  }
  const sent = server.received.slice(first)
  expect(sent.slice(0, 3)).toEqual(sent.slice(3))
  expect(sent).toHaveLength(6)
})

test('an answer with another status is an error with what the route says', async () => {
  script = [[]]
  status = 402
  await expect(httpTransport({ api: server.origin }).sendMessages(request)).rejects.toMatchObject({
    code: 'http_status',
    details: { status: 402, body: expect.stringContaining('[DONE]') },
  })
})
