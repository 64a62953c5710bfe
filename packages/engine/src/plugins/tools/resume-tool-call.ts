import type { ToolSet, UIMessage } from 'ai'
import { isDevelopment } from '../../development.ts'
import { EngineError, toEngineError } from '../../errors.ts'
import { given } from '../../message/given.ts'
import { refOf } from '../../message/tool-calls.ts'
import { isRecord } from '../../message/tool-part.ts'
import { decideCalls, type Each } from './decide-calls.ts'
import { readDecision } from './plan-decisions.ts'
import type { ResumeToolCallResult, ResumeToolCallsResult } from './commands.ts'
import { openCallOf, type CommandScope } from './open-call.ts'
import { waitingCalls } from './turn-calls.ts'

/**
 * Decides a call that waits, wherever it is executed. Checked and written in one go, so that the
 * first of two decisions wins; the same one again changes nothing.
 */
export function resumeToolCall<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  payload: unknown,
  scope: CommandScope<TOOLS, MESSAGE>,
): ResumeToolCallResult | Promise<ResumeToolCallResult> {
  const decided = decideCalls(scope, [readDecision(payload)], eachAlone)
  return 'then' in decided ? decided.then(toSingleResult) : toSingleResult(decided)
}

/** Decides several calls: checked together and written in one go, or not at all. */
export function resumeToolCalls<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  payload: unknown,
  scope: CommandScope<TOOLS, MESSAGE>,
): ResumeToolCallsResult | Promise<ResumeToolCallsResult> {
  if (!Array.isArray(payload) || payload.length === 0) {
    throw new EngineError(
      'invalid_argument',
      isDevelopment && 'resumeToolCalls takes a list of decisions.',
    )
  }
  return decideCalls(scope, eachTogether(payload, readDecision), eachTogether)
}

/**
 * Denies everything that waits, with the person's own words as the reason. What is being decided
 * already is left to that decision. Answers whether anything was denied.
 */
export function denyAll<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  reason: string,
  scope: CommandScope<TOOLS, MESSAGE>,
): boolean {
  const { context, runtime } = scope
  const denials = waitingCalls(context)
    .filter((call) => !openCallOf(runtime, call).deciding)
    .map((call) => readDecision({ ...refOf(call), outcome: 'no', reason }))
  if (denials.length === 0) return false
  // A no takes no time, where no other decision is in the way.
  void decideCalls(scope, denials, eachAlone)
  return true
}

function toSingleResult({ toolCalls, settled }: ResumeToolCallsResult): ResumeToolCallResult {
  // One decision decides one call.
  const [call] = toolCalls as [ResumeToolCallsResult['toolCalls'][number]]
  return { ...call, settled }
}

const eachAlone: Each = (items, attempt) => items.map(attempt)

/** Throws `batch_refused`, which names every decision that was refused. */
const eachTogether: Each = (items, attempt) => {
  const errors: object[] = []
  const results = items.flatMap((item, index) => {
    try {
      return [attempt(item)]
    } catch (thrown) {
      const { code, message, details } = toEngineError(thrown, 'invalid_argument')
      const toolCallId = isRecord(item) ? item['toolCallId'] : details['toolCallId']
      errors.push(given({ index, toolCallId, code, message }))
      return []
    }
  })
  if (errors.length === 0) return results
  throw new EngineError(
    'batch_refused',
    `${errors.length} of ${items.length} decisions were refused, so none was applied: see details.errors.`,
    { details: { errors } },
  )
}
