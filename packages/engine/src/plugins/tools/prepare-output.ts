import type { ToolSet, UIMessage } from 'ai'
import { keyOf, type ToolCallEntry } from '../../message/tool-calls.ts'
import { changeMetadata, failedCall, succeededCall } from '../../message/tool-part-states.ts'
import { toolNameOf, type AssentCallMetadata, type ToolCallPart } from '../../message/tool-part.ts'
import { keepOutput } from './kept-outputs.ts'
import { boundOutput } from './limits.ts'
import { optionsOf } from './options.ts'
import { redactErrorText, redactOutput } from './redact-output.ts'
import type { SettleScope } from './tool-runtime.ts'

/** What a call came to, or so far this much of it. */
export type CallResult =
  | { readonly output: unknown; readonly isPreliminary?: boolean }
  | { readonly errorText: string }

/**
 * Makes what a call came to fit to be stored, shown and sent: its secrets are masked, then it is cut
 * to its bounds, and what was cut is kept to be read. Answers with how the call's part is to change.
 * Throws `tool_output_invalid` for an output that cannot be stored.
 */
export function prepareResult<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: Pick<SettleScope<TOOLS, MESSAGE>, 'options' | 'context'>,
  call: ToolCallEntry,
  result: CallResult,
  noted: AssentCallMetadata = {},
): (part: ToolCallPart) => ToolCallPart {
  const { options, context } = scope
  const { maxOutputLines: maxLines = 2_000, maxOutputBytes: maxBytes = 51_200 } = options
  const toolName = toolNameOf(call.part)
  const { keep = 'head' } = optionsOf(options, toolName)
  const isError = 'errorText' in result
  const isPreliminary = !isError && result.isPreliminary === true
  const safe = isError
    ? redactErrorText(scope, toolName, result.errorText)
    : redactOutput(scope, toolName, result.output, isPreliminary)
  const { output, cut, whole } = boundOutput(safe, { maxLines, maxBytes, keep })
  keepOutput(context.engineKey, keyOf(call), whole)
  return (part) =>
    changeMetadata(
      isError ? failedCall(part, String(output)) : succeededCall(part, output, isPreliminary),
      { ...noted, cut },
    )
}
