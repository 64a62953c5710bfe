import {
  asSchema,
  DefaultChatTransport,
  isToolUIPart,
  readUIMessageStream,
  type ToolSet,
  type ToolUIPart,
  type UIMessage,
  type UIMessageChunk,
} from 'ai'

type ToolPart = Extract<UIMessage['parts'][number], { toolCallId: string }>

/** A chat as a page without the engine would hold it, over the AI SDK's own transport. */
export interface Conversation {
  readonly messages: UIMessage[]
  /** Every chunk that came, of all requests. */
  readonly chunks: readonly UIMessageChunk[]
  /** The texts of the `error` chunks that came. */
  readonly errors: readonly string[]
  /** Says something and reads the answer to its end or pause. */
  readonly say: (text: string, abortSignal?: AbortSignal) => Promise<void>
  /** Posts the messages as they are and reads the answer. */
  readonly post: (abortSignal?: AbortSignal) => Promise<void>
  /** Stops the answer on the server. */
  readonly stop: () => Promise<void>
  /** Answers the approval that a call of this tool waits for; does not post. */
  readonly decide: (toolName: string, approved: boolean, reason?: string) => void
  /** Runs the page's tools whose calls are open, `denials` excepted; does not post. */
  readonly runHere: (denials?: ReadonlyMap<string, string>) => Promise<void>
  /** Runs the page's tools and posts, until the turn has no open call left. */
  readonly finish: () => Promise<void>
  /** The calls of a tool in the last message, in order. */
  readonly calls: (toolName: string) => ToolPart[]
  /** The text of the last step of the last message. */
  readonly answer: () => string
}

/** @param tools the page's tools; they are announced with every request */
export function createConversation(url: string, tools: ToolSet = {}): Conversation {
  const messages: UIMessage[] = []
  const chunks: UIMessageChunk[] = []
  const errors: string[] = []
  const transport = new DefaultChatTransport<UIMessage>({ api: `${url}/api/chat` })

  async function post(abortSignal?: AbortSignal): Promise<void> {
    const stream = await transport.sendMessages({
      trigger: 'submit-message',
      chatId: 'chat',
      messageId: undefined,
      messages,
      abortSignal,
      body: { tools: await announce(tools) },
    })
    const last = messages.at(-1)
    const seen = stream.pipeThrough(
      new TransformStream<UIMessageChunk, UIMessageChunk>({
        transform(chunk, controller) {
          chunks.push(chunk)
          if (chunk.type === 'error') errors.push(chunk.errorText)
          controller.enqueue(chunk)
        },
      }),
    )
    const snapshots = readUIMessageStream<UIMessage>({
      stream: seen,
      ...(last?.role === 'assistant' ? { message: structuredClone(last) } : {}),
      onError: () => undefined,
    })
    for await (const message of snapshots) {
      if (messages.at(-1)?.id === message.id) messages.splice(-1, 1, message)
      else messages.push(message)
    }
  }

  function replaceParts(change: (part: ToolPart) => ToolPart): void {
    const last = messages.at(-1)
    if (last?.role !== 'assistant') throw new Error('There is no answer yet')
    const parts = last.parts.map((part) => (isToolUIPart(part) ? change(part) : part))
    messages.splice(-1, 1, { ...last, parts })
  }

  function decide(toolName: string, approved: boolean, reason?: string): void {
    let decided = 0
    replaceParts((part) => {
      if (part.type !== `tool-${toolName}` || part.state !== 'approval-requested') return part
      decided++
      const approval = { ...part.approval, approved, ...(reason !== undefined && { reason }) }
      return { ...part, state: 'approval-responded', approval }
    })
    if (decided === 0) throw new Error(`No call of ${toolName} awaits approval`)
  }

  async function runHere(denials: ReadonlyMap<string, string> = new Map()): Promise<void> {
    const settled = new Map<string, ToolPart>()
    for (const part of openCalls()) {
      const name = part.type.slice('tool-'.length)
      const reason = denials.get(name)
      const { toolCallId, input } = part
      const type = part.type as ToolUIPart['type']
      if (reason !== undefined) {
        const approval = { id: crypto.randomUUID(), approved: false as const, reason }
        settled.set(toolCallId, { type, toolCallId, state: 'output-denied', input, approval })
        continue
      }
      const execute = tools[name]?.execute
      if (!execute) throw new Error(`The page has no tool ${name}`)
      try {
        const result: unknown = await execute(input, { toolCallId, messages: [], context: {} })
        const output = isAsyncIterable(result) ? await lastOf(result) : result
        settled.set(toolCallId, { type, toolCallId, state: 'output-available', input, output })
      } catch (error) {
        const errorText = error instanceof Error ? error.message : String(error)
        settled.set(toolCallId, { type, toolCallId, state: 'output-error', input, errorText })
      }
    }
    replaceParts((part) => settled.get(part.toolCallId) ?? part)
  }

  function openCalls(): ToolPart[] {
    const parts = messages.at(-1)?.parts ?? []
    return parts.filter(isToolUIPart).filter((part) => part.state === 'input-available')
  }

  return {
    messages,
    chunks,
    errors,
    post,
    stop: async () => {
      await fetch(`${url}/api/chat/chat/stream`, { method: 'DELETE' })
    },
    decide,
    runHere,
    say: async (text, abortSignal) => {
      messages.push({ id: crypto.randomUUID(), role: 'user', parts: [{ type: 'text', text }] })
      await post(abortSignal)
    },
    finish: async () => {
      while (openCalls().length > 0) {
        await runHere()
        await post()
      }
    },
    calls: (toolName) =>
      (messages.at(-1)?.parts ?? [])
        .filter(isToolUIPart)
        .filter((part) => part.type === `tool-${toolName}`),
    answer: () => {
      const parts = messages.at(-1)?.parts ?? []
      const step = parts.findLastIndex(({ type }) => type === 'step-start')
      return parts
        .slice(step + 1)
        .flatMap((part) => (part.type === 'text' ? [part.text] : []))
        .join('')
    },
  }
}

async function announce(tools: ToolSet): Promise<object[]> {
  return Promise.all(
    Object.entries(tools).map(async ([name, { description, inputSchema }]) => ({
      name,
      description,
      inputSchema: await asSchema(inputSchema).jsonSchema,
    })),
  )
}

async function lastOf(values: AsyncIterable<unknown>): Promise<unknown> {
  let last: unknown
  for await (const value of values) last = value
  return last
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}
