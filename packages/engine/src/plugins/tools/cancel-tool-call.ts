import type { ToolSet, UIMessage } from 'ai'
import { EngineError } from '../../errors.ts'
import { keyOf, refOf } from '../../message/tool-calls.ts'
import {
  toolCallStatus,
  toolNameOf,
  type ToolCallPart,
  type ToolCallRef,
} from '../../message/tool-part.ts'
import { boundResult, writeResult } from './call-result.ts'
import { assertHere, findCall, isTarget, refusal } from './find-call.ts'
import { goOn } from './go-on.ts'
import { runningCalls } from './running-calls.ts'
import type { CommandScope } from './tool-runtime.ts'
import { isScheduled } from './turn-calls.ts'

/**
 * Stops a call that runs here: its abort signal fires, and its result says at once that it may have
 * taken effect. One that is about to start never does.
 */
export function cancelToolCall<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  payload: unknown,
  scope: CommandScope<TOOLS, MESSAGE>,
): ToolCallRef {
  const reason = isTarget(payload) ? (payload['reason'] ?? '') : undefined
  if (!isTarget(payload) || typeof reason !== 'string') {
    throw new EngineError(
      'invalid_argument',
      'cancelToolCall takes a toolCallId, a messageId and a reason: texts.',
    )
  }
  const { toolCallId } = payload
  const call = findCall(scope.context, payload, isCancellable)
  const { part } = call
  assertHere(part, payload)
  const stop = runningCalls(scope.context.engineKey).get(keyOf(call))
  const isRunning = stop !== undefined && toolCallStatus(part) === 'executing'
  if (!isRunning && !isScheduled(part)) {
    throw refusal('not_running', `Tool call is not running: ${toolCallId}`, payload)
  }
  const why = isRunning
    ? 'Cancelled while it ran; it may have taken effect.'
    : 'Cancelled before it started; it did not run.'
  const errorText = reason === '' ? why : `${why} Reason: ${reason}`
  if (isRunning) stop(new DOMException(errorText, 'AbortError'), 'cancelled')
  else {
    const result = { errorText }
    const bounded = boundResult(scope, toolNameOf(part), result)
    writeResult(scope, call, result, bounded, { ended: 'cancelled' })
  }
  goOn(scope)
  return refOf(call)
}

function isCancellable(part: ToolCallPart): boolean {
  return isScheduled(part) || toolCallStatus(part) === 'executing'
}
