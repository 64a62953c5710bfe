import { createMessageEngine, httpTransport, toolPlugin, type MessageEngine } from '@assent/engine'
import { untilState } from '@assent/engine/testing'
import { createChatHandler } from '@assent/node'
import { jsonSchema, tool, type ToolSet, type UIMessageChunk } from 'ai'
import { createMessageReducer } from '../packages/engine/src/message/message-reducer.ts'
import { readWithAiSdk } from '../packages/engine/test/differential/ai-sdk-reader.ts'
import { EMPTY, findMismatch } from '../packages/engine/test/differential/recording.ts'
import { modelFor, replies, type Fetch } from './recorded-providers.ts'

/** What came of one recording. */
export interface Replay {
  readonly path: string
  /** `unread`: the AI SDK itself cannot read it. `skipped`: there is no provider for it. */
  readonly result: 'same' | 'different' | 'unread' | 'skipped'
  /** Chunks of the stream that a page gets. */
  readonly chunks: number
  /** Calls that a person was asked about, each of which has run once after the yes. */
  readonly asked: number
  /** What is different, or why it was not read. */
  readonly why?: string
}

/**
 * Replays what a provider once answered, through that provider, a chat handler and an engine. The
 * engine must have the message that the AI SDK has after each chunk. Every call of a tool that runs here
 * must wait for its yes, and run once after it.
 */
export async function replayRecording(path: string, recording: string): Promise<Replay> {
  const make = modelFor(path)
  if (!make) return { path, result: 'skipped', chunks: 0, asked: 0, why: 'no such provider' }
  const answer = replies(recording)
  const called = await toolsCalled(make(answer)).catch((error: unknown) => unread(path, error))
  if ('result' in called) return called

  const effects: string[] = []
  const tools: ToolSet = Object.fromEntries(
    called.map((name) => [
      name,
      tool({
        inputSchema: jsonSchema({}),
        execute: (_, { toolCallId }) => void effects.push(toolCallId),
      }),
    ]),
  )
  let requests = 0
  // After the calls have run the model is asked again; nothing was recorded for that.
  const once: Fetch = async (...request) =>
    requests++ === 0 ? answer(...request) : new Response('over', { status: 400 })
  const handler = createChatHandler({
    model: make(once),
    tools,
    toolApproval: Object.fromEntries(called.map((name) => [name, 'user-approval' as const])),
    defaultApproval: 'approved',
    approvalSecret: 'a secret of the recordings',
    ledger: 'memory',
    rateLimit: false,
    maxRetries: 0,
    onError: () => {},
  })
  const bodies: Promise<string>[] = []
  const engine = createMessageEngine({
    transport: httpTransport({
      api: 'http://localhost/api/chat',
      retry: false,
      fetch: async (input, init) => {
        const response = await handler(new Request(input, init))
        bodies.push(response.clone().text())
        return response
      },
    }),
    plugins: [toolPlugin({ defaultApproval: 'approved' })],
  })
  try {
    await engine.sendMessage('go')
    const chunks = chunksIn((await bodies[0]) ?? '')
    if (chunks.length === 0) {
      return { path, result: 'different', chunks: 0, asked: 0, why: 'The handler sends nothing.' }
    }
    const { messages, error } = await readWithAiSdk(EMPTY, chunks)
    if (error !== undefined) return unread(path, error)
    const recorded = { initial: EMPTY, chunks, expected: messages }
    const why =
      findMismatch(recorded, createMessageReducer) ?? (await wrongWithCalls(engine, effects))
    const counts = { path, chunks: chunks.length, asked: effects.length }
    if (why !== undefined) return { ...counts, result: 'different', why }
    return { ...counts, result: 'same' }
  } finally {
    engine.dispose()
  }
}

/** The tools that a model calls and does not run itself. */
async function toolsCalled(model: ReturnType<NonNullable<ReturnType<typeof modelFor>>>) {
  const { stream } = await model.doStream({
    prompt: [{ role: 'user', content: [{ type: 'text', text: 'go' }] }],
  })
  const names = new Map<string, string>()
  for await (const part of stream) {
    if (part.type === 'error') throw part.error
    if (part.type === 'tool-call' && part.providerExecuted !== true) {
      names.set(part.toolCallId, part.toolName)
    }
    // Whose result is here has run there.
    if (part.type === 'tool-result') names.delete(part.toolCallId)
  }
  return [...new Set(names.values())]
}

function unread(path: string, error: unknown): Replay {
  return { path, result: 'unread', chunks: 0, asked: 0, why: String(error).split('\n')[0] ?? '' }
}

/** Says yes to what is asked, and whether each call has run then, once, and none before. */
async function wrongWithCalls(
  engine: MessageEngine,
  effects: readonly string[],
): Promise<string | undefined> {
  const parts = engine.getState().messages.at(-1)?.parts ?? []
  const asked = parts.flatMap((part) =>
    'toolCallId' in part && part.state === 'approval-requested' && !part.providerExecuted
      ? [part.toolCallId]
      : [],
  )
  if (effects.length > 0) return `${effects.join(', ')} ran before anybody said yes.`
  if (asked.length === 0) return undefined
  const decided = await engine.runPluginCommand(
    'tool',
    'resumeToolCalls',
    asked.map((toolCallId) => ({ toolCallId })),
  )
  if (!decided.success) return decided.error.message
  await untilState(engine, ({ requestState }) => requestState !== 'processing')
  const ran = effects.toSorted().join(', ')
  const due = asked.toSorted().join(', ')
  return ran === due ? undefined : `After a yes to ${due} there ran: ${ran || 'nothing'}.`
}

function chunksIn(body: string): UIMessageChunk[] {
  return body
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line): UIMessageChunk => JSON.parse(line.slice('data: '.length)))
}
