import type { ToolSet, UIMessage } from 'ai'
import { EngineError } from '../../errors.ts'
import { keyOf, type ToolCallEntry } from '../../message/tool-calls.ts'
import { changeMetadata } from '../../message/tool-part-states.ts'
import { assentMetadata, isElsewhere } from '../../message/tool-part.ts'
import { optionsOf } from './options.ts'
import type { SettleScope } from './tool-runtime.ts'
import { changeCall, toToolCall, turnCalls } from './turn-calls.ts'

/**
 * Writes summary and risk beside the calls of the turn that have none. Calls that are to be decided
 * here get theirs once their input has been read.
 */
export function describeCalls<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: SettleScope<TOOLS, MESSAGE>,
): void {
  for (const entry of turnCalls(scope.context)) {
    const { part } = entry
    const isToDecide = part.state === 'input-streaming' || part.state === 'input-available'
    if (!isToDecide || isElsewhere(part)) describeCall(scope, entry, part.input)
  }
}

/** Writes summary and risk beside one call, if its tool's options say any. */
export function describeCall<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  { options, context, runtime }: SettleScope<TOOLS, MESSAGE>,
  entry: ToolCallEntry,
  input: unknown,
): void {
  const known = assentMetadata(entry.part)
  const { summary, risk = known.risk } = optionsOf(options, toToolCall(entry).toolName)
  const isSummaryDue =
    summary && known.summary === undefined && !runtime.undescribed.has(keyOf(entry))
  if (!isSummaryDue && risk === known.risk) return
  let sentence = known.summary
  try {
    // The input is what the tool's schema describes, or the summary throws.
    if (isSummaryDue) sentence = summary(input as never)
  } catch (cause) {
    runtime.undescribed.add(keyOf(entry))
    context.reportError(
      new EngineError('callback_failed', 'A summary of a tool call threw.', { cause }),
    )
  }
  changeCall(context, entry, (part) => changeMetadata(part, { summary: sentence, risk }))
}
