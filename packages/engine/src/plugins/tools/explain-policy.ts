import type { UIMessage } from 'ai'
import type { ApprovalScope } from '../../confirmation.ts'
import { refOf, toolCallsOf } from '../../message/tool-calls.ts'
import {
  assentMetadata,
  isSettled,
  toolCallStatus,
  toolNameOf,
  type ToolCallRef,
  type ToolCallStatus,
  isExactOnly,
} from '../../message/tool-part.ts'
import { fingerprintOf } from './fingerprint.ts'
import { coversCall, readScope } from './scope.ts'

/** A `yes_always` that is thought of: what it would cover. */
export interface PolicyCandidate {
  readonly toolName: string
  readonly scope: ApprovalScope
  /** The input of the call that it would be given on; needed with `covers: 'input'`. */
  readonly input?: unknown
}

/** A past call that a scope would have covered. */
export interface ExplainedCall extends ToolCallRef {
  readonly toolName: string
  /** What the model asked for, also when a person approved another input in its place. */
  readonly input: unknown
  readonly status: ToolCallStatus
}

/** What a scope would have meant for the calls so far. */
export interface PolicyExplanation {
  /** All past calls of the tool. */
  readonly total: number
  /** Those that the scope would have covered, in the order of the messages. */
  readonly matched: readonly ExplainedCall[]
  /** Those of `matched` that a person or rule denied. */
  readonly denied: readonly ExplainedCall[]
}

/**
 * Tries a scope on the calls so far, before a person says "always". Its `where`, `until` and `uses`
 * are not looked at. Calls that wait, run or stream do not count. Pure; throws `invalid_argument`
 * for a scope that is not valid.
 */
export function explainPolicy(
  { toolName, scope, input }: PolicyCandidate,
  messages: readonly UIMessage[],
): PolicyExplanation {
  const { covers } = readScope(scope)
  const toFingerprint = (value: unknown) =>
    covers === 'input' ? fingerprintOf(toolName, value) : ''
  const confirmation = { toolName, scope, fingerprint: toFingerprint(input) }
  const matched: ExplainedCall[] = []
  let total = 0
  for (const entry of messages.flatMap(toolCallsOf)) {
    const { part } = entry
    const status = toolCallStatus(part)
    const isPast = isSettled(part) || status === 'denied'
    if (toolNameOf(part) !== toolName || !isPast) continue
    total++
    const { risk, originalInput = part.input } = assentMetadata(part)
    const fingerprint = toFingerprint(originalInput)
    const call = { toolName, input: originalInput, risk, exactOnly: isExactOnly(part), fingerprint }
    if (!coversCall(confirmation, call)) continue
    matched.push({ ...refOf(entry), toolName, input: originalInput, status })
  }
  return { total, matched, denied: matched.filter(({ status }) => status === 'denied') }
}
