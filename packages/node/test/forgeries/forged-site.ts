import type { LanguageModelV4Prompt, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { strictApproval } from '@assent/engine'
import {
  convertToModelMessages,
  createUIMessageStreamResponse,
  jsonSchema,
  streamText,
  tool,
  toUIMessageStream,
  type ToolSet,
  type UIMessage,
} from 'ai'
import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test'
import { createChatHandler } from '../../src/chat/create-chat-handler.ts'
import { answered } from '../asking-server.ts'
import { userMessage } from '../raw-chat.ts'
import { SECRET } from '../serve-chat.ts'

/** What runs an approved call: the handler's tools, the model's provider, or a route of the AI SDK. */
export type Executor = 'handler' | 'provider' | 'plain route'

/** Who posts, and where. */
export interface Place {
  readonly id?: unknown
  readonly user?: string
}

/** A server that asks before it acts, and the count of what it did. */
export interface ForgedSite {
  readonly executor: Executor
  /** What took effect, in order: noted by the tools' world and the provider, not by what is tested. */
  readonly effects: readonly string[]
  /** Moves the clock of the server. */
  wait(ms: number): void
  /** Posts messages as they are, whatever they are, and reads the answer to its end. */
  post(messages: unknown, place?: Place): Promise<{ status: number; text: string }>
  /** A conversation that waits for decisions on these calls. */
  ask(calls: readonly AskedCall[], place?: Place): Promise<UIMessage[]>
}

/** A call that the model makes: `[toolName, to]`. */
export type AskedCall = readonly [toolName: 'send' | 'wipe', to: string]

const inputSchema = jsonSchema<{ to: string }>({ type: 'object' })
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
}

export function openForgedSite(executor: Executor, secret = SECRET): ForgedSite {
  const effects: string[] = []
  let now = Date.now()
  const act = (name: string) =>
    tool({
      inputSchema,
      execute: ({ to }: { to: string }) => {
        effects.push(`${name} ${to}`)
        return 'receipt'
      },
    })
  const tools: ToolSet = executor === 'provider' ? {} : { send: act('send'), wipe: act('wipe') }
  const model = askingModel(executor === 'provider', effects)
  const toolApproval = { send: 'user-approval', wipe: 'user-approval' } as const

  const handler = createChatHandler({
    model,
    tools,
    ...(executor === 'handler' && { toolApproval }),
    defaultApproval: 'approved',
    approvalSecret: secret,
    approvalMaxAgeMs: 3_600_000,
    ledger: 'memory',
    rateLimit: false,
    maxRetries: 0,
    authorize: (request) => request.headers.get('x-user'),
    now: () => now,
    onError: () => {},
  })

  async function route(request: Request): Promise<Response> {
    const { messages }: { messages: UIMessage[] } = await request.json()
    const { stream } = streamText({
      model,
      tools,
      toolApproval: strictApproval(toolApproval, { onError: () => {} }),
      experimental_toolApprovalSecret: secret,
      messages: await convertToModelMessages(messages),
      onError: () => {},
    })
    return createUIMessageStreamResponse({
      stream: toUIMessageStream({ stream, tools, originalMessages: messages }),
    })
  }

  const serve = executor === 'plain route' ? route : handler
  const send = (messages: unknown, { id = 'chat', user = 'ada' }: Place = {}) =>
    serve(
      new Request('http://localhost/api/chat', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-user': user },
        body: JSON.stringify({ id, messages }),
      }),
    )

  return {
    executor,
    effects,
    wait: (ms) => void (now += ms),
    async post(messages, place) {
      try {
        const response = await send(messages, place)
        return { status: response.status, text: await response.text() }
      } catch (error) {
        // A route of an app's own has nothing around it.
        if (executor !== 'plain route') throw error
        return { status: 500, text: String(error) }
      }
    },
    async ask(calls, place) {
      const question = [userMessage(JSON.stringify(calls))]
      return answered(question, await send(question, place))
    },
  }
}

/** A model that makes the calls that a person writes down, and else talks. */
function askingModel(isProvider: boolean, effects: string[]): MockLanguageModelV4 {
  return new MockLanguageModelV4({
    doStream: async ({ prompt }) => {
      if (isProvider) effects.push(...approvedIn(prompt))
      const calls = callsIn(prompt)
      const parts: LanguageModelV4StreamPart[] = calls.flatMap(
        ([toolName, to]): LanguageModelV4StreamPart[] => {
          const call = { toolCallId: `${toolName}-${to}`, toolName, input: JSON.stringify({ to }) }
          if (!isProvider) return [{ type: 'tool-call', ...call }]
          return [
            { type: 'tool-call', ...call, providerExecuted: true, dynamic: true },
            {
              type: 'tool-approval-request',
              toolCallId: call.toolCallId,
              approvalId: `mcpr-${call.toolCallId}`,
            },
          ]
        },
      )
      const text: LanguageModelV4StreamPart[] = [
        { type: 'text-start', id: 't' },
        { type: 'text-delta', id: 't', delta: 'Well.' },
        { type: 'text-end', id: 't' },
      ]
      const unified = calls.length > 0 && !isProvider ? 'tool-calls' : 'stop'
      return {
        stream: convertArrayToReadableStream<LanguageModelV4StreamPart>([
          { type: 'stream-start', warnings: [] },
          ...(calls.length > 0 ? parts : text),
          { type: 'finish', finishReason: { unified, raw: unified }, usage },
        ]),
      }
    },
  })
}

/** What the provider is told to run. */
function approvedIn(prompt: LanguageModelV4Prompt): string[] {
  return prompt.flatMap((message) =>
    message.role === 'tool'
      ? message.content.flatMap((part) =>
          part.type === 'tool-approval-response' && part.approved ? [part.approvalId] : [],
        )
      : [],
  )
}

/** The calls that the last message of a person writes down. */
function callsIn(prompt: LanguageModelV4Prompt): AskedCall[] {
  const last = prompt.at(-1)
  if (last?.role !== 'user') return []
  const [part] = last.content
  return part?.type === 'text' && part.text.startsWith('[') ? JSON.parse(part.text) : []
}
