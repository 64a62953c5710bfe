import type { ServerResponse } from 'node:http'
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
import { LEDGER_CHUNK } from '../src/message/apply-decision.ts'
import type { ToolCallPart } from '../src/message/tool-part.ts'
import { startServer, type LoopbackServer } from './loopback-server.ts'
import { callsOf } from './tool-engine.ts'

/** What the model says in one step: a text, or the calls of `[toolCallId, toolName, input]`. */
export type ModelStep = string | readonly (readonly [string, string, Record<string, unknown>])[]

/**
 * What goes wrong with a request: it is refused, its connection breaks before it is read, after its tools
 * have run and nothing was answered, or behind the first bytes of the answer.
 */
export type Fault = 'refused' | 'lost-unread' | 'lost-after-run' | 'cut-inside'

/** An error as a server answers it. */
export interface Refusal {
  readonly status: number
  readonly error: Readonly<Record<string, unknown>>
}

export interface GuardedServerOptions {
  /** What the model says, one step after the other, over all requests. */
  steps: readonly ModelStep[]
  /** Default: a person decides about everything that runs on the server. */
  toolApproval?: ToolApprovalConfiguration<ToolSet, unknown>
  /** Beside every request for approval, as a route may add it. */
  descriptor?: unknown
  /** What the tools of the server have given, by call: what is there already is not done again. */
  ledger?: Map<string, string>
  /** Ends the runs of the server's tools, when they are to take longer than no time. */
  runs?: Promise<void>
  /** The answer to request number `count` (from 1) in place of one of the model's, if there is one. */
  refuse?: (count: number, calls: readonly ToolCallPart[]) => Refusal | undefined
  /** What goes wrong with request number `count` (from 1). Default: nothing. */
  faultOf?: (count: number) => Fault | undefined
}

/** A server whose tools take effect, and what tests look at. */
export interface GuardedServer
  extends AsyncDisposable, Pick<LoopbackServer, 'goDown' | 'comeBack' | 'request'> {
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
  ledger,
  runs,
  refuse,
  faultOf = () => undefined,
}: GuardedServerOptions): Promise<GuardedServer> {
  const effects: string[] = []
  const prompts: LanguageModelV4Prompt[] = []
  const signatures = new Map<string, string | undefined>()
  const act = (verb: string) =>
    tool({
      inputSchema: jsonSchema<{ to: string }>({ type: 'object' }),
      async execute({ to }, { toolCallId }) {
        const known = ledger?.get(toolCallId)
        if (known !== undefined) return known
        effects.push(`${verb} ${to}`)
        const output = `${verb} ${to}: done`
        ledger?.set(toolCallId, output)
        await runs
        return output
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
    const approvalDescriptor = ledger ? { ledger: true } : descriptor
    return approvalDescriptor === undefined ? chunk : { ...chunk, approvalDescriptor }
  }

  /** What the ledger answers to the decisions of a request. */
  const ledgerAnswers = (messages: readonly UIMessage[]): UIMessageChunk[] =>
    callsOf(messages).flatMap(({ state, toolCallId, approval }) => {
      if (!ledger || state !== 'approval-responded' || !approval) return []
      const status = ledger.has(toolCallId) ? 'ran' : 'running'
      return [{ type: LEDGER_CHUNK, transient: true, data: { approvalId: approval.id, status } }]
    })

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
    const told = ledgerAnswers(messages)
    return createUIMessageStreamResponse({
      stream: stream.pipeThrough(
        new TransformStream<UIMessageChunk, UIMessageChunk>({
          transform(chunk, controller) {
            controller.enqueue(note(chunk))
            if (chunk.type === 'start') for (const one of told) controller.enqueue(one)
          },
        }),
      ),
    })
  }

  const server = await startServer((response, { body }, count) => {
    const fault = faultOf(count)
    if (fault === 'refused') return response.writeHead(503).end()
    if (fault === 'lost-unread') return response.destroy()
    const refusal = refuse?.(count, callsOf(JSON.parse(body).messages))
    if (refusal) {
      response.writeHead(refusal.status, { 'content-type': 'application/json' })
      return response.end(JSON.stringify({ error: refusal.error }))
    }
    return void respond(JSON.parse(body).messages, count).then((result) =>
      send(result, response, { fault, ledger }),
    )
  })

  return {
    origin: server.origin,
    goDown: server.goDown,
    comeBack: server.comeBack,
    request: server.request,
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

/** Answers, as far as the fault lets it. */
async function send(
  { status, headers, body }: Response,
  response: ServerResponse,
  { fault, ledger }: { fault: Fault | undefined; ledger: unknown },
): Promise<void> {
  if (!body) throw new Error('The route answers with a stream.')
  // What was written last is thrown away with the connection, unless it is on its way already.
  const write = (bytes: Uint8Array) =>
    new Promise<void>((resolve) => {
      response.write(bytes, () => setImmediate(resolve))
    })
  const isSent = fault !== 'lost-after-run'
  if (isSent) response.writeHead(status, Object.fromEntries(headers))
  let isCut = false
  for await (const bytes of body) {
    if (isSent && !isCut) await write(bytes)
    // Behind what the ledger says, if there is one.
    isCut ||= fault === 'cut-inside' && Buffer.from(bytes).includes(ledger ? LEDGER_CHUNK : 'start')
  }
  if (fault) response.destroy()
  else response.end()
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
