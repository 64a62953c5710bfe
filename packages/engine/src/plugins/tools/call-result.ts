import type { JSONValue, ToolSet, UIMessage } from 'ai'
import { keyOf, replaceToolCall } from '../../message/tool-calls.ts'
import { changeMetadata, failedCall, succeededCall } from '../../message/tool-part-states.ts'
import {
  assentMetadata,
  isSettled,
  type AssentCallMetadata,
  type ToolCallPart,
  type ToolCallRef,
} from '../../message/tool-part.ts'
import { keepOutput } from './kept-outputs.ts'
import { boundOutput, type BoundedOutput } from './limits.ts'
import { optionsOf } from './options.ts'
import { redactErrorText, redactOutput } from './redact-output.ts'
import type { SettleScope } from './open-call.ts'
import { changeCall, settleCall } from './turn-calls.ts'

type ResultScope<TOOLS extends ToolSet, MESSAGE extends UIMessage> = Pick<
  SettleScope<TOOLS, MESSAGE>,
  'options' | 'context'
>

/** What a call came to, or so far this much of it. */
export type CallResult =
  | { readonly output: unknown; readonly isPreliminary?: boolean; readonly errorText?: undefined }
  | { readonly errorText: string; readonly isPreliminary?: undefined }

/**
 * What a call came to, fit to be stored, shown and sent: its secrets are masked, then it is cut to
 * its bounds. Throws `tool_output_invalid` for an output that cannot be made so.
 */
export function boundResult<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: ResultScope<TOOLS, MESSAGE>,
  toolName: string,
  result: CallResult,
): BoundedOutput {
  const { maxOutputLines: maxLines = 2_000, maxOutputBytes: maxBytes = 51_200 } = scope.options
  const { keep = 'head' } = optionsOf(scope.options, toolName)
  const safe =
    result.errorText === undefined
      ? redactOutput(scope, toolName, result.output, result.isPreliminary)
      : redactErrorText(scope, toolName, result.errorText)
  return boundOutput(safe, { maxLines, maxBytes, keep })
}

/**
 * Notes what a tool returned after its call had ended without a result, on that very call: one that
 * was made or started again since has a result of its own to come.
 */
export function noteLate<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: ResultScope<TOOLS, MESSAGE>,
  ref: ToolCallRef,
  started: number | undefined,
  toolName: string,
  result: unknown,
): void {
  const { context } = scope
  const { output } = boundResult(scope, toolName, { output: result })
  const isIt = (part: ToolCallPart) => {
    const { startedAt, mayHaveRun, late } = assentMetadata(part)
    const isSame = startedAt === started && isSettled(part)
    return isSame && mayHaveRun === true && late === undefined
  }
  // What JSON cannot express was refused.
  const late = { output: output as JSONValue, at: context.now() }
  context.amendMessage(ref.messageId, (message) =>
    replaceToolCall(message, ref, (part) => (isIt(part) ? changeMetadata(part, { late }) : part)),
  )
}

/** Writes what a call came to, and keeps the whole of what was cut. */
export function writeResult<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  { context }: ResultScope<TOOLS, MESSAGE>,
  ref: ToolCallRef,
  { errorText, isPreliminary = false }: CallResult,
  { output, cut, whole }: BoundedOutput,
  noted?: AssentCallMetadata,
): void {
  const change = isPreliminary ? changeCall : settleCall
  change(context, ref, (part) => {
    keepOutput(context.engineKey, keyOf(ref), whole)
    const changed =
      errorText === undefined
        ? succeededCall(part, output, isPreliminary)
        : failedCall(part, String(output))
    return changeMetadata(changed, { ...noted, cut })
  })
}
