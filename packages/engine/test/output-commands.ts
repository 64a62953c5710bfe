import type { ToolSet, UIMessage } from 'ai'
import type { CommandContext, NamedPlugin } from '../src/plugin.ts'
import { cancelToolCall } from '../src/plugins/tools/cancel-tool-call.ts'
import type { ToolPluginOptions } from '../src/plugins/tools/options.ts'
import { readToolOutput } from '../src/plugins/tools/read-tool-output.ts'
import { redactChunk } from '../src/plugins/tools/redact-chunk.ts'
import { submitToolOutput } from '../src/plugins/tools/submit-tool-output.ts'
import { runtimeOf } from '../src/plugins/tools/tool-runtime.ts'

export function outputCommands<TOOLS extends ToolSet>(
  options: ToolPluginOptions<TOOLS>,
): NamedPlugin {
  const scopeOf = (context: CommandContext<UIMessage>) => ({
    options,
    context,
    runtime: runtimeOf(context.engineKey, context.abortSignal),
  })
  return {
    name: 'outputs',
    commands: {
      cancelToolCall: (payload, context) => cancelToolCall(payload, scopeOf(context)),
      submitToolOutput: (payload, context) => submitToolOutput(payload, scopeOf(context)),
      readToolOutput: (payload, context) => readToolOutput(payload, scopeOf(context)),
    },
    onChunk: (chunk, context) => redactChunk(chunk, context, options),
  }
}
