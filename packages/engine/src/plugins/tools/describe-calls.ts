import type { ToolSet, UIMessage } from 'ai'
import { keyOf, type ToolCallEntry } from '../../message/tool-calls.ts'
import { changeMetadata } from '../../message/tool-part-states.ts'
import { assentMetadata } from '../../message/tool-part.ts'
import { optionsOf } from './options.ts'
import type { SettleScope } from './tool-runtime.ts'
import { changeCall, isUndecided, observe, toToolCall, turnCalls } from './turn-calls.ts'

/**
 * Writes summary and risk beside the calls of the turn that have none. Calls that are to be decided
 * here get theirs once their input has been read.
 */
export function describeCalls<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: SettleScope<TOOLS, MESSAGE>,
): void {
  for (const entry of turnCalls(scope.context)) {
    if (!isUndecided(entry.part)) describeCall(scope, entry, entry.part.input)
  }
}

/** Writes summary and risk beside one call, if its tool's options say any. */
export function describeCall<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  { options, context, runtime }: SettleScope<TOOLS, MESSAGE>,
  entry: ToolCallEntry,
  input: unknown,
): void {
  const { described } = runtime
  const key = keyOf(entry)
  const known = assentMetadata(entry.part)
  const own = optionsOf(options, toToolCall(entry).toolName)
  let { summary } = known
  const { risk = known.risk } = own
  if (own.summary && summary === undefined && !described.has(key)) {
    described.add(key)
    // The input is what the tool's schema describes, or the summary throws.
    observe(context, () => (summary = own.summary?.(input as never)))
  }
  if (summary === known.summary && risk === known.risk) return
  changeCall(context, entry, (part) => changeMetadata(part, { summary, risk }))
}
