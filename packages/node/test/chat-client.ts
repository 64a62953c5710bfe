import {
  createMessageEngine,
  httpTransport,
  isToolCallPart,
  toolPlugin,
  type MessageEngine,
  type MessageEngineOptions,
  type ResumeToolCallPayload,
  type ToolCallPart,
  type ToolPluginOptions,
} from '@assent/engine'
import { untilState } from '@assent/engine/testing'
import { onTestFinished } from 'vitest'

/** An engine that talks to a chat over HTTP, and what tests look at. */
export interface ChatClient {
  readonly engine: MessageEngine
  /** All tool calls of the conversation, in call order. */
  calls(): ToolCallPart[]
  /** The text of the last message. */
  text(): string
  resume(payload: ResumeToolCallPayload): ReturnType<MessageEngine['runPluginCommand']>
  /** Resolves when the open turn is completed. */
  completed(): Promise<void>
  /** Resolves when the turn is paused after this many requests. */
  pausedAfter(requests: number): Promise<void>
}

/** Connects an engine to a chat; disposed with its test. */
export function connectEngine(
  api: string,
  tools: ToolPluginOptions = {},
  options: Partial<MessageEngineOptions> = {},
): ChatClient {
  const engine = createMessageEngine({
    transport: httpTransport({ api, retry: false }),
    plugins: [toolPlugin({ defaultApproval: 'approved', announceTools: true, ...tools })],
    ...options,
  })
  onTestFinished(() => engine.dispose())
  return {
    engine,
    calls: () => engine.getState().messages.flatMap(({ parts }) => parts.filter(isToolCallPart)),
    text: () =>
      (engine.getState().messages.at(-1)?.parts ?? [])
        .flatMap((part) => (part.type === 'text' ? [part.text] : []))
        .join(''),
    resume: (payload) => engine.runPluginCommand('tool', 'resumeToolCall', payload),
    completed: async () => {
      await untilState(engine, ({ requestState }) => requestState === 'completed')
    },
    pausedAfter: async (requests) => {
      await untilState(
        engine,
        ({ requestState, turn }) => requestState === 'paused' && turn?.step === requests,
      )
    },
  }
}
