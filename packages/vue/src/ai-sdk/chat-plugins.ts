import {
  EngineError,
  isToolCallPart,
  toolNameOf,
  toolPlugin,
  type EnginePlugin,
  type PluginContext,
  type ToolCallPart,
} from '@assent/engine'
import type { FinishReason, Tool, UIMessage } from 'ai'
import type { ChatInit } from './chat-init.ts'

/** The plugin whose command `request` asks the model again, with the messages that are there. */
export const CHAT_PLUGIN = 'ai-sdk'

/** How a response ended, beside its message. */
type End = {
  readonly finishReason?: FinishReason | undefined
  readonly error?: EngineError
  readonly isAbort?: boolean
}

const DISCONNECTS: ReadonlySet<string> = new Set(['http_network', 'stream_cut', 'stream_timeout'])

/** What `useChat` asks of its init while a conversation goes on, as plugins in the order in which they are asked. */
export function chatPlugins<MESSAGE extends UIMessage>(
  init: ChatInit<MESSAGE>,
): readonly EnginePlugin<MESSAGE>[] {
  /** Those that a response has called: who wrote for `useChat` declares none, and answers by `addToolOutput`. */
  const tools: Record<string, Tool> = Object.create(null)
  const told = new Set<string>()

  function declare(messages: readonly MESSAGE[] = []): void {
    for (const part of messages.flatMap(({ parts }) => parts.filter(isToolCallPart))) {
      tools[toolNameOf(part)] ??= { inputSchema: ANY_INPUT }
    }
  }

  function finish(
    context: PluginContext<MESSAGE>,
    { finishReason, error, isAbort = false }: End,
  ): void {
    const { messages } = context.getState()
    const { assistantMessageId = context.generateId() } = context.turn ?? {}
    const empty: UIMessage = { id: assistantMessageId, role: 'assistant', parts: [] }
    init.onFinish?.({
      message: context.getMessage(assistantMessageId) ?? (empty as MESSAGE),
      messages: [...messages],
      isAbort,
      isDisconnect: error !== undefined && DISCONNECTS.has(error.code),
      isError: error !== undefined,
      ...(finishReason && { finishReason }),
    })
  }

  declare(init.messages)
  return [
    {
      name: CHAT_PLUGIN,
      commands: { request: (_payload, context) => context.requestNext() },
      onAfterRequest(context) {
        declare(answerOf(context))
        finish(context, { finishReason: context.finishReason })
      },
      onError: (context) => finish(context, { error: context.error }),
      onTurnAbort: (context) => finish(context, { isAbort: true }),
      onTurnPause(context) {
        const calls = answerOf(context).flatMap(({ parts }) => parts.filter(isToolCallPart))
        for (const part of calls) {
          if (part.state !== 'input-available' || part.providerExecuted) continue
          if (told.has(part.toolCallId)) continue
          told.add(part.toolCallId)
          void tell(part, context)
        }
      },
    },
    toolPlugin<Record<string, Tool>, MESSAGE>({ tools }),
    {
      async onSettle(context) {
        const { sendAutomaticallyWhen } = init
        if (!sendAutomaticallyWhen || !context.turn?.unsent.length) return undefined
        if (await sendAutomaticallyWhen({ messages: [...context.getState().messages] }))
          return undefined
        context.setPauseReason({ type: 'not-sent' })
        return 'pause'
      },
    },
  ]

  /** Not awaited: it answers by `addToolOutput`, which waits for the pause. */
  async function tell(part: ToolCallPart, context: PluginContext<MESSAGE>): Promise<void> {
    const toolCall = {
      toolCallId: part.toolCallId,
      toolName: toolNameOf(part),
      input: part.input,
      ...(part.type === 'dynamic-tool' && { dynamic: true }),
    }
    try {
      await init.onToolCall?.({ toolCall: toolCall as never })
    } catch (cause) {
      context.reportError(new EngineError('callback_failed', 'onToolCall failed.', { cause }))
    }
  }
}

/** The message that the turn writes to, if there is one yet. */
function answerOf<MESSAGE extends UIMessage>(context: PluginContext<MESSAGE>): readonly MESSAGE[] {
  const id = context.turn?.assistantMessageId
  const message = id === undefined ? undefined : context.getMessage(id)
  return message ? [message] : []
}

/** A Standard Schema that takes any input: whoever declared the tool has checked it. */
const ANY_INPUT: Tool['inputSchema'] = {
  '~standard': { version: 1, vendor: 'assent', validate: (value: unknown) => ({ value }) },
} as never
