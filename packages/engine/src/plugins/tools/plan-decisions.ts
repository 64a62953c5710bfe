import type { ToolSet, UIMessage } from 'ai'
import { isDecision, type ApprovalScope, type ConfirmationOutcome } from '../../confirmation.ts'
import { isDevelopment } from '../../development.ts'
import { EngineError } from '../../errors.ts'
import { isEqualJson } from '../../message/json-equality.ts'
import { keyOf, type ToolCallEntry } from '../../message/tool-calls.ts'
import {
  assentMetadata,
  isAwaitingApproval,
  isElsewhere,
  isSettled,
  isExactOnly,
  riskOf,
  toolNameOf,
  type ToolCallPart,
} from '../../message/tool-part.ts'
import type { ResumeToolCallPayload } from './commands.ts'
import { editableTool } from './input-schema.ts'
import {
  assertOne,
  assertShown,
  isNamed,
  isTarget,
  latestCall,
  refusal,
  unknownCall,
  waitingCalls,
} from './turn-calls.ts'
import { fingerprintOf } from './fingerprint.ts'
import { toolOf } from './options.ts'
import { openCallOf, type CommandScope, type SettleScope } from './open-call.ts'
import { grantedScope, readScope } from './scope.ts'

/** A decision as it was asked for, checked in itself. */
export interface Decision {
  readonly toolCallId: string
  readonly messageId: string | undefined
  readonly step: number | undefined
  /** Of what was shown. */
  readonly fingerprint: string | undefined
  readonly outcome: ConfirmationOutcome
  readonly reason: string | undefined
  /** The edited input; none when the model's is to run. */
  readonly input: unknown
  /** Of a `yes_always` alone. */
  readonly scope: ApprovalScope | undefined
  /** It may run although it cannot be stored that it starts. */
  readonly withoutRecord: true | undefined
}

const KEYS: readonly string[] =
  /* @__PURE__ */ 'toolCallId messageId step fingerprint outcome reason input scope withoutRecord'.split(
    ' ',
  )
const OUTCOMES: readonly unknown[] = ['yes', 'yes_always', 'no'] satisfies ConfirmationOutcome[]

/** Reads the payload of `resumeToolCall`. Throws `invalid_argument`, which says what is wrong. */
export function readDecision(payload: unknown): Decision {
  if (!isPayload(payload)) {
    throw invalid(
      isDevelopment &&
        `A decision is { toolCallId, outcome: 'yes' | 'yes_always' | 'no' }, and of ${KEYS.join(', ')} what else there is to say.`,
    )
  }
  const { toolCallId, messageId, step, fingerprint } = payload
  const { outcome = 'yes', reason, withoutRecord } = payload
  const input = copyOf(payload.input)
  if (outcome === 'no' && input !== undefined) {
    throw invalid(
      isDevelopment && 'A call that is denied does not run, so its input cannot be edited.',
    )
  }
  if (outcome !== 'yes_always' && payload.scope !== undefined) {
    throw invalid(isDevelopment && "A scope belongs to the outcome 'yes_always'.")
  }
  if (withoutRecord && outcome !== 'yes') {
    throw invalid(isDevelopment && "Running without a record belongs to the outcome 'yes'.")
  }
  const scope = outcome === 'yes_always' ? readScope(payload.scope) : undefined
  return {
    toolCallId,
    messageId,
    step,
    fingerprint,
    outcome,
    reason,
    input,
    scope,
    withoutRecord: withoutRecord || undefined,
  }
}

function isPayload(payload: unknown): payload is ResumeToolCallPayload {
  if (!isTarget(payload)) return false
  const { outcome = 'yes', reason = '', withoutRecord = false } = payload
  // Where no outcome is given, a key that nobody reads may have been a no.
  const isMeant = 'outcome' in payload || Object.keys(payload).every((key) => KEYS.includes(key))
  return (
    isMeant &&
    typeof reason === 'string' &&
    OUTCOMES.includes(outcome) &&
    typeof withoutRecord === 'boolean'
  )
}

/** The input as JSON has it. */
function copyOf(input: unknown): unknown {
  try {
    const json = JSON.stringify(input)
    return json === undefined ? undefined : JSON.parse(json)
  } catch (cause) {
    throw new EngineError(
      'invalid_input',
      isDevelopment && 'JSON cannot express the edited input.',
      { cause },
    )
  }
}

function invalid(message: string | false): EngineError {
  return new EngineError('invalid_argument', message)
}

/** A decision and the call that it is about. */
export interface DecisionPlan {
  readonly decision: Decision
  readonly entry: ToolCallEntry
  /** The same was decided before: it stands, and there is nothing to do. */
  readonly isRepeated: boolean
  /** The edited input, when it is another one than the model gave. */
  readonly editedInput: unknown
}

/** Finds the call that waits for a decision. Throws when there is none, or when it cannot be decided so. */
export function planDecision<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: CommandScope<TOOLS, MESSAGE>,
  decision: Decision,
): DecisionPlan {
  const { context } = scope
  assertOne(context, decision)
  const isWanted = (entry: ToolCallEntry) => isNamed(entry, decision)
  // What awaits an output has its yes, if it needed one: it can only be denied any more.
  const isOpen = ({ part }: ToolCallEntry) => decision.outcome === 'no' || isAwaitingApproval(part)
  const entry = waitingCalls(context).find((call) => isWanted(call) && isOpen(call))
  if (entry) {
    context.assertAccepting()
    // A no runs nothing, whatever was shown.
    const { outcome, fingerprint = outcome === 'no' ? undefined : seenAs(scope, entry) } = decision
    assertShown(entry.part, { ...decision, fingerprint })
    assertDecidable(scope, entry.part, decision)
    const { input } = decision
    const editedInput = isEqualJson(input, entry.part.input) ? undefined : input
    return { decision, entry, editedInput, isRepeated: false }
  }
  const decided = latestCall(context, decision)
  if (decided && isRepeated(scope, decided, decision)) {
    return { decision, entry: decided, editedInput: undefined, isRepeated: true }
  }
  // What is still to come, or being sent, can be decided later.
  context.assertAccepting()
  if (!decided) throw unknownCall(decision)
  const text = `Tool call is not awaiting approval: ${decision.toolCallId}`
  const details = { isSettled: isSettled(decided.part) }
  throw refusal('not_awaiting_approval', text, decision, details)
}

/** What a decision is about that does not say what was shown. */
function seenAs<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  { runtime }: SettleScope<TOOLS, MESSAGE>,
  entry: ToolCallEntry,
): string | undefined {
  return openCallOf(runtime, entry).seenAs
}

/** Whether more was said than the exact input. */
function isWide({ covers = 'input' }: ApprovalScope = {}): boolean {
  return covers !== 'input'
}

function assertDecidable<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  { options, context }: SettleScope<TOOLS, MESSAGE>,
  part: ToolCallPart,
  decision: Decision,
): void {
  const { outcome, input, scope, withoutRecord } = decision
  if (outcome === 'no') return
  const toolName = toolNameOf(part)
  if (!isElsewhere(part) && !toolOf(options, toolName) && !options.callTool) {
    const text =
      isDevelopment &&
      `The tool “${toolName}” is not known here, so the call cannot be approved here. Nothing was decided.`
    throw refusal('unknown_tool', text, decision)
  }
  if (withoutRecord && (!assentMetadata(part).recordFailed || riskOf(part) === 'destroy')) {
    const text =
      isDevelopment &&
      'Only a call whose start could not be stored can run without a record, and never one that destroys.'
    throw refusal('invalid_argument', text, decision)
  }
  const isTooWide = isExactOnly(part) && isWide(scope)
  const hasEnded = context.now() >= (scope?.until ?? Infinity)
  if (outcome === 'yes_always' && (isTooWide || hasEnded)) {
    const text =
      isDevelopment &&
      (isTooWide
        ? "This call can always be allowed with its exact input only, as any that destroys: covers 'input'."
        : 'This permission has ended already: give a later scope.until.')
    throw refusal('scope_refused', text, decision)
  }
  if (input !== undefined) editableTool(options, part, decision)
}

/** Whether this very decision was made before. */
function isRepeated<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  { context }: SettleScope<TOOLS, MESSAGE>,
  call: ToolCallEntry,
  { outcome, input, scope }: Decision,
): boolean {
  const key = keyOf(call)
  const { conversationId } = context
  const { part } = call
  const fingerprint = fingerprintOf(toolNameOf(part), part.input)
  // With its fingerprint: a step that is made again may make another call under the same id.
  const decisions = context
    .getState()
    .confirmations.filter(isDecision)
    .filter((one) => keyOf(one) === key && one.fingerprint === fingerprint)
    .filter((one) => one.conversationId === conversationId)
  // A crash may leave one that holds everywhere, and nothing else of it.
  const { confirmationId } = assentMetadata(part)
  const before = decisions.find(({ id }) => id === confirmationId) ?? decisions.at(-1)
  // Of calls that were decided before a reload, or by a policy, only the answer is known.
  if (!before) {
    const isPlain = outcome !== 'yes_always' && input === undefined
    return isPlain && part.approval?.approved === (outcome === 'yes')
  }
  // To run with the input that it had, or with another one: what it was decided for tells.
  const isSameInput =
    input === undefined
      ? before.editedInput === undefined
      : before.fingerprint === fingerprintOf(before.toolName, input)
  const granted = scope && grantedScope(scope, before.at)
  return before.outcome === outcome && isEqualJson(before.scope, granted) && isSameInput
}
