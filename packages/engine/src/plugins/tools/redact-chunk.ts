import type { ToolSet, UIMessage, UIMessageChunk } from 'ai'
import { describeThrown } from '../../errors.ts'
import { toolCallsOf } from '../../message/tool-calls.ts'
import { toolNameOf } from '../../message/tool-part.ts'
import type { PluginContext } from '../../plugin.ts'
import type { ToolPluginOptions } from './options.ts'
import { redactErrorText, redactOutput } from './redact-output.ts'

/**
 * A chunk without the secrets of what a tool came to that runs elsewhere: nobody here has seen it
 * yet. An output that cannot be made safe becomes an error.
 */
export function redactChunk<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  chunk: UIMessageChunk,
  context: PluginContext<MESSAGE>,
  options: ToolPluginOptions<TOOLS, MESSAGE>,
): UIMessageChunk {
  const scope = { options, context }
  if (chunk.type === 'tool-output-error' || chunk.type === 'tool-input-error') {
    return { ...chunk, errorText: redactErrorText(scope, nameOf(chunk, context), chunk.errorText) }
  }
  if (chunk.type !== 'tool-output-available') return chunk
  const { output, preliminary, ...call } = chunk
  try {
    const safe = redactOutput(scope, nameOf(chunk, context), output, preliminary)
    return { ...chunk, output: safe }
  } catch (error) {
    return { ...call, type: 'tool-output-error', errorText: describeThrown(error) }
  }
}

/** The name of the tool that a chunk is about: the stream said it when the call began. */
function nameOf<MESSAGE extends UIMessage>(
  chunk: { toolCallId: string; toolName?: string },
  { getState }: PluginContext<MESSAGE>,
): string {
  if (chunk.toolName !== undefined) return chunk.toolName
  const message = getState().messages.at(-1)
  const calls = message ? toolCallsOf(message) : []
  const part = calls.findLast(({ toolCallId }) => toolCallId === chunk.toolCallId)?.part
  return part ? toolNameOf(part) : ''
}
