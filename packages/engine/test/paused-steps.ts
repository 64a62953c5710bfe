import type { ToolSet, UIMessageChunk } from 'ai'
import type { MessageEngineOptions } from '../src/message-engine.ts'
import { continuationPlugin, type ContinuationOptions } from '../src/plugins/continuation/index.ts'
import type { ToolPluginOptions } from '../src/plugins/tools/options.ts'
import {
  responseChunks,
  stepChunks,
  textChunks,
  toolCallChunks,
  toolOutputChunks,
  type ResponseOptions,
  type ScriptedTransportOptions,
} from '../src/testing/index.ts'
import { createToolEngine, type ToolEngine } from './tool-engine.ts'

/** A call that the provider runs, without its result. */
export function searching(toolCallId: string): UIMessageChunk[] {
  const input = { query: `what is ${toolCallId}?` }
  return toolCallChunks({ toolCallId, toolName: 'web_search', input, providerExecuted: true })
}

/** The result of a call that the provider ran, in a later response than the call. */
export function found(toolCallId: string): UIMessageChunk[] {
  return toolOutputChunks(toolCallId, [{ title: `About ${toolCallId}` }])
}

/** A response that the provider paused. */
export function paused(...chunks: UIMessageChunk[][]): UIMessageChunk[] {
  return ended('pause_turn', ...chunks)
}

/** A response that ends with the provider's own reason. */
export function ended(raw: string, ...chunks: UIMessageChunk[][]): UIMessageChunk[] {
  return endedAs({ finishMetadata: { rawFinishReason: raw } }, ...chunks)
}

/** A response that ends as said. */
export function endedAs(how: ResponseOptions, ...chunks: UIMessageChunk[][]): UIMessageChunk[] {
  return responseChunks({ messageId: 'answer', ...how }, stepChunks(...chunks))
}

/** A final answer, as a server sends it that forwards the raw reason. */
export function final(text: string, ...chunks: UIMessageChunk[][]): UIMessageChunk[] {
  return ended('end_turn', ...chunks, textChunks('text', text))
}

/** What an engine is made of that continues steps. */
export interface ContinuingOptions<TOOLS extends ToolSet>
  extends Partial<MessageEngineOptions>, ScriptedTransportOptions {
  continuation?: ContinuationOptions
  tools?: ToolPluginOptions<TOOLS>
}

/** An engine with the tool plugin and the continuation plugin; other plugins come after them. */
export function createContinuingEngine<TOOLS extends ToolSet = ToolSet>(
  script: Parameters<typeof createToolEngine>[0],
  { continuation, tools, plugins = [], ...options }: ContinuingOptions<TOOLS> = {},
): ToolEngine {
  const isGiven = plugins.some(({ name }) => name === 'continuation')
  return createToolEngine(script, tools, {
    ...options,
    plugins: [...(isGiven ? [] : [continuationPlugin(continuation)]), ...plugins],
  })
}
