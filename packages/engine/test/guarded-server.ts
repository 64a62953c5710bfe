import type { LanguageModelV4Prompt, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import {
  convertToModelMessages,
  createUIMessageStreamResponse,
  isStepCount,
  jsonSchema,
  streamText,
  tool,
  toUIMessageStream,
  type ToolApprovalConfiguration,
  type ToolSet,
  type UIMessage,
  type UIMessageChunk,
} from 'ai'
import { MockLanguageModelV4, convertArrayToReadableStream } from 'ai/test'
import type { ToolCallPart } from '../src/message/tool-part.ts'
import { startServer } from './loopback-server.ts'
import { callsOf } from './tool-engine.ts'

/** What the model says in one step: a text, or the calls of `[toolCallId, toolName, input]`. */
export type ModelStep = string | readonly (readonly [string, string, Record<string, unknown>])[]

export interface GuardedServerOptions {
  /** What the model says, one step after the other, over all requests. */
  steps: readonly ModelStep[]
  /** Default: a person decides about everything that runs on the server. */
  toolApproval?: ToolApprovalConfiguration<ToolSet, unknown>
  /** Beside every request for approval, as a route may add it. */
  descriptor?: unknown
}

/** A server whose tools take effect, and what tests look at. */
export interface GuardedServer extends AsyncDisposable {
  readonly origin: string
  /** What the tools that run on the server did, in order. */
  readonly effects: readonly string[]
  /** What the model was sent, one prompt for each step. */
  readonly prompts: readonly LanguageModelV4Prompt[]
  /** The bodies of the requests as they came. */
  readonly bodies: readonly string[]
  /** The tool calls that request number `count` (from 1) carried. */
  sentCalls(count: number): ToolCallPart[]
  /** The signature that was streamed with the request for approval of a call. */
  signatureOf(toolCallId: string): string | undefined
  /** The parts of tool messages that the model was sent in step number `count` (from 1). */
  resultsIn(count: number): unknown[]
}

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
}

/**
 * A chat route over HTTP on the loopback interface, as the AI SDK's documentation writes it:
 * `streamText` with `toolApproval` and a secret that signs what it asks. `deploy` and `remove` run on
 * the server, `read` and `write` where the conversation is shown.
 */
export async function startGuardedServer({
  steps,
  toolApproval = { deploy: 'user-approval', remove: 'user-approval' },
  descriptor,
}: GuardedServerOptions): Promise<GuardedServer> {
  const effects: string[] = []
  const prompts: LanguageModelV4Prompt[] = []
  const signatures = new Map<string, string | undefined>()
  const act = (verb: string) =>
    tool({
      inputSchema: jsonSchema<{ to: string }>({ type: 'object' }),
      execute: ({ to }) => {
        effects.push(`${verb} ${to}`)
        return `${verb} ${to}: done`
      },
    })
  const inBrowser = tool({ inputSchema: jsonSchema({ type: 'object' }) })
  const tools = { deploy: act('deploy'), remove: act('remove'), read: inBrowser, write: inBrowser }
  const model = new MockLanguageModelV4({
    doStream: ({ prompt }) => {
      const step = steps[prompts.push(prompt) - 1] ?? 'No step is left.'
      return Promise.resolve({ stream: convertArrayToReadableStream(streamParts(step)) })
    },
  })

  const note = (chunk: UIMessageChunk): UIMessageChunk => {
    if (chunk.type !== 'tool-approval-request') return chunk
    signatures.set(chunk.toolCallId, chunk.signature)
    return descriptor === undefined ? chunk : { ...chunk, approvalDescriptor: descriptor }
  }

  async function respond(messages: UIMessage[], count: number): Promise<Response> {
    const result = streamText({
      model,
      tools,
      toolApproval,
      experimental_toolApprovalSecret: 'only the server knows this',
      messages: await convertToModelMessages(messages),
      stopWhen: isStepCount(5),
      onError: () => {},
    })
    const stream = toUIMessageStream({
      stream: result.stream,
      tools,
      originalMessages: messages,
      generateMessageId: () => `answer-${count}`,
      onError: (error) => (error instanceof Error ? error.message : String(error)),
    })
    return createUIMessageStreamResponse({
      stream: stream.pipeThrough(
        new TransformStream<UIMessageChunk, UIMessageChunk>({
          transform: (chunk, controller) => controller.enqueue(note(chunk)),
        }),
      ),
    })
  }

  const server = await startServer((response, { body }, count) => {
    void respond(JSON.parse(body).messages, count).then(async (result) => {
      response.writeHead(result.status, Object.fromEntries(result.headers))
      if (result.body !== null) for await (const bytes of result.body) response.write(bytes)
      response.end()
    })
  })

  return {
    origin: server.origin,
    effects,
    prompts,
    get bodies() {
      return server.received.map(({ body }) => body)
    },
    sentCalls: (count) => callsOf(JSON.parse(server.received[count - 1]?.body ?? '').messages),
    signatureOf: (toolCallId) => signatures.get(toolCallId),
    resultsIn: (count) =>
      (prompts[count - 1] ?? []).flatMap((message) =>
        message.role === 'tool' ? message.content : [],
      ),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

function streamParts(step: ModelStep): LanguageModelV4StreamPart[] {
  const isText = typeof step === 'string'
  const said: LanguageModelV4StreamPart[] = isText
    ? [
        { type: 'text-start', id: 't' },
        { type: 'text-delta', id: 't', delta: step },
        { type: 'text-end', id: 't' },
      ]
    : step.map(([toolCallId, toolName, input]) => ({
        type: 'tool-call',
        toolCallId,
        toolName,
        input: JSON.stringify(input),
      }))
  const unified = isText ? 'stop' : 'tool-calls'
  return [
    { type: 'stream-start', warnings: [] },
    ...said,
    { type: 'finish', usage, finishReason: { unified, raw: unified } },
  ]
}
