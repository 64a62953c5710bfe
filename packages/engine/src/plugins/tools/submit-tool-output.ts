import type { ToolSet, UIMessage } from 'ai'
import { EngineError } from '../../errors.ts'
import { isEqualJson } from '../../message/json-equality.ts'
import { keyOf, refOf, type ToolCallEntry } from '../../message/tool-calls.ts'
import {
  assentMetadata,
  isWaiting,
  toolNameOf,
  type ToolCallPart,
  type ToolCallRef,
} from '../../message/tool-part.ts'
import { boundResult, writeResult, type CallResult } from './call-result.ts'
import { assertHere, findCall, isTarget, refusal } from './find-call.ts'
import { goOn } from './go-on.ts'
import { keptOutput } from './kept-outputs.ts'
import type { BoundedOutput } from './limits.ts'
import type { CommandScope } from './tool-runtime.ts'
import { isScheduled } from './turn-calls.ts'

/**
 * Answers a call that has not started in place of its tool. Checked and written in one go, so that
 * a tool which has started meanwhile is not answered for; the same answer again changes nothing.
 */
export function submitToolOutput<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  payload: unknown,
  scope: CommandScope<TOOLS, MESSAGE>,
): ToolCallRef {
  const result = isTarget(payload) ? readResult(payload) : undefined
  if (!isTarget(payload) || !result) {
    throw new EngineError(
      'invalid_argument',
      'submitToolOutput takes a toolCallId, a messageId, and either an output or an errorText.',
    )
  }
  const { context } = scope
  const { toolCallId } = payload
  const call = findCall(context, payload, isAnswerable)
  const { part } = call
  assertHere(part, payload)
  const { submitted } = assentMetadata(part)
  if (submitted || isAnswerable(part)) {
    const bounded = boundResult(scope, toolNameOf(part), result)
    if (!submitted) {
      const decidedAt = context.now()
      writeResult(scope, call, result, bounded, {
        submitted: true,
        decidedBy: 'person',
        decidedAt,
      })
      goOn(scope)
    }
    if (!submitted || isSame(scope, call, result, bounded)) return refOf(call)
  }
  const text = `Tool call has started or is settled, so nobody can answer for it: ${toolCallId}`
  throw refusal('not_awaiting_output', text, payload)
}

function readResult({ output, errorText }: Record<string, unknown>): CallResult | undefined {
  if (errorText === undefined) return output === undefined ? undefined : { output }
  return output === undefined && typeof errorText === 'string' ? { errorText } : undefined
}

/** Whether a call waits, or is about to start. */
function isAnswerable(part: ToolCallPart): boolean {
  return isWaiting(part) || isScheduled(part)
}

/** Whether a call was answered so before. */
function isSame<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  { context }: CommandScope<TOOLS, MESSAGE>,
  call: ToolCallEntry,
  { errorText }: CallResult,
  { output, whole }: BoundedOutput,
): boolean {
  const { part } = call
  const stored = errorText === undefined ? part.output : part.errorText
  return isEqualJson(stored, output) && keptOutput(context.engineKey, keyOf(call)) === whole
}
