import type { UIMessage } from 'ai'
import { isDevelopment } from '../../development.ts'
import { fingerprintOfCall, openCalls } from './turn-calls.ts'
import { openCallOf, type ToolRuntime } from './open-call.ts'
import type { ToolCallContext } from './options.ts'

/**
 * Notes what the open calls are, the first time that they are looked at. Messages are handed out, and
 * who writes into them has changed the call that people are shown, without a word to anybody.
 */
export function noteSeen<MESSAGE extends UIMessage>(
  context: ToolCallContext<MESSAGE>,
  runtime: ToolRuntime,
): void {
  for (const { part, ...ref } of openCalls(context)) {
    const call = openCallOf(runtime, ref)
    if (part.state === 'input-streaming' || call.seenAs !== undefined) continue
    call.seenAs = fingerprintOfCall(part)
    // Else it is found out only when the call is decided, or about to run.
    if (isDevelopment) freeze(part)
  }
}

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return
  Object.freeze(value)
  for (const field of Object.values(value)) freeze(field)
}
