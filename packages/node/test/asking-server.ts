import { httpTransport, LEDGER_CHUNK } from '@assent/engine'
import { isToolUIPart, jsonSchema, readUIMessageStream, tool, type UIMessage } from 'ai'
import { expect } from 'vitest'
import type { ChatHandlerOptions } from '../src/chat/chat-options.ts'
import type { RefusedApproval } from '../src/chat/request-error.ts'
import { rawChat, userMessage, type PostOptions, type RawChat } from './raw-chat.ts'
import { scriptedModel, type ModelStep } from './scripted-model.ts'
import { serveChat } from './serve-chat.ts'

export const HOUR = 3_600_000
export const inputSchema = jsonSchema<{ to: string }>({ type: 'object' })

/** A server whose one tool asks, at an hour of the test's choice. */
export async function startAsking(
  steps: readonly ModelStep[],
  more: Partial<ChatHandlerOptions> = {},
  execute?: (to: string) => unknown,
) {
  const effects: string[] = []
  const clock = { now: Date.now() }
  const send = tool({
    inputSchema,
    execute: ({ to }) => {
      effects.push(`send ${to}`)
      return execute ? execute(to) : `receipt ${effects.length}`
    },
  })
  const model = scriptedModel(steps)
  const served = await serveChat({
    model,
    tools: { send },
    toolApproval: { send: 'user-approval' },
    now: () => clock.now,
    ...more,
  })
  return { ...served, effects, clock, model, chat: rawChat(served.api) }
}

/** A tool call of a message. */
export type Part = Extract<UIMessage['parts'][number], { toolCallId: string }>

/** The conversation after an answer, from its stream. */
export async function answered(messages: UIMessage[], response: Response): Promise<UIMessage[]> {
  expect(response.status).toBe(200)
  const transport = httpTransport({ api: 'http://unused', fetch: async () => response })
  const stream = await transport.sendMessages({
    trigger: 'submit-message',
    chatId: 'chat',
    messageId: undefined,
    messages,
    abortSignal: undefined,
  })
  const last = messages.at(-1)
  const isContinued = last?.role === 'assistant'
  let answer: UIMessage | undefined
  const snapshots = readUIMessageStream<UIMessage>({
    stream,
    ...(isContinued && { message: structuredClone(last) }),
    onError: () => {},
  })
  for await (const snapshot of snapshots) answer = snapshot
  if (!answer) throw new Error('No answer came.')
  return [...messages.slice(0, isContinued ? -1 : undefined), answer]
}

/** The conversation with every request for approval answered, and each answered call changed. */
export function decided(
  messages: readonly UIMessage[],
  approved: boolean,
  change: (part: Part) => object = () => ({}),
): UIMessage[] {
  const copy = structuredClone([...messages])
  for (const part of copy.at(-1)?.parts ?? []) {
    if (!isToolUIPart(part) || part.state !== 'approval-requested') continue
    const approval = { ...part.approval, approved }
    Object.assign(part, { state: 'approval-responded', approval }, change(part))
  }
  return copy
}

/** The calls of the last message. */
export const callsOf = (messages: readonly UIMessage[]) =>
  (messages.at(-1)?.parts ?? []).filter(isToolUIPart)
/** What the model calls, and what a person has said before. */
export const ask = [['1', 'send', { to: 'ada' }]] satisfies ModelStep
export const question = [userMessage('Send it to Ada')]

/** An error as the handler answers it. */
interface RefusedRequest {
  readonly code: string
  readonly message: string
  readonly refused?: readonly RefusedApproval[]
}

/** The error of a response, with its status. */
export async function errorOf(response: Response) {
  const { error }: { error: RefusedRequest } = await response.json()
  return { status: response.status, ...error }
}

/** The conversation that waits for a decision. */
export async function asked(server: { readonly chat: RawChat }, options?: PostOptions) {
  return answered(question, await server.chat.post(question, options))
}

/** What a stream says of decisions and outputs, in order. */
export function saidIn(events: string): string[] {
  return events.split('\n').flatMap((line) => {
    if (!line.startsWith('data: {')) return []
    const data = JSON.parse(line.slice(6))
    if (data.type === LEDGER_CHUNK) return [data.data.status]
    return data.type.startsWith('tool-output-') ? [data.type] : []
  })
}
