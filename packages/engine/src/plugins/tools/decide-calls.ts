import type { JSONValue, ToolSet, UIMessage } from 'ai'
import { describeThrown, EngineError } from '../../errors.ts'
import { given } from '../../message/given.ts'
import { isEqualJson } from '../../message/json-equality.ts'
import { keyOf, refOf } from '../../message/tool-calls.ts'
import { withChanges } from '../../message/tool-call-draft.ts'
import { answeredCall, changeMetadata } from '../../message/tool-part-states.ts'
import {
  assentMetadata,
  isElsewhere,
  toLocalApprovalId,
  toolNameOf,
} from '../../message/tool-part.ts'
import { applyPolicies } from './apply-policies.ts'
import type { Decision } from './decision.ts'
import { describeCall } from './describe-calls.ts'
import { refusal } from './find-call.ts'
import { fingerprintOf } from './fingerprint.ts'
import { goOn } from './go-on.ts'
import { issuesOf, readInput } from './input-schema.ts'
import { toolOf } from './options.ts'
import type { ResumeToolCallsResult } from './commands.ts'
import { planDecision, type DecisionPlan } from './plan-decisions.ts'
import type { CommandScope } from './tool-runtime.ts'
import { knownToolSchemas, loadToolSchemas } from './tool-schemas.ts'
import { callNow, changeCall, recordOf } from './turn-calls.ts'
import { whenAborted } from './when-aborted.ts'

/** Does something with every decision, and throws what is to be said when some of it throws. */
export type Each = <ITEM, RESULT>(
  items: readonly ITEM[],
  attempt: (item: ITEM) => RESULT,
) => RESULT[]

/**
 * Carries decisions out: all of them or none. At once, unless something takes time: an edited input
 * that is to be validated, or an earlier decision on the same call that waits for that.
 */
export function decideCalls<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: CommandScope<TOOLS, MESSAGE>,
  decisions: readonly Decision[],
  each: Each,
): ResumeToolCallsResult | Promise<ResumeToolCallsResult> {
  const { deciding } = scope.runtime
  const plan = () => planAll(scope, decisions, each)
  const plans = plan()
  const keys = plans.map(({ entry }) => keyOf(entry))
  const earlier = keys.flatMap((key) => deciding.get(key) ?? [])
  const isAtOnce = earlier.length === 0 && plans.every((one) => !takesTime(scope, one))
  if (isAtOnce) return writeDecisions(scope, plans)
  const decided = decideLater(scope, plans, plan, each, earlier)
  for (const key of keys) deciding.set(key, decided)
  const forget = () => {
    for (const key of keys) if (deciding.get(key) === decided) deciding.delete(key)
  }
  void decided.then(forget, () => {
    forget()
    // The calls wait on, and a policy that covers them may have come meanwhile.
    const { aborted } = scope.context.abortSignal
    if (!aborted && applyPolicies(scope).length > 0) goOn(scope)
  })
  return decided
}

async function decideLater<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: CommandScope<TOOLS, MESSAGE>,
  seen: readonly DecisionPlan[],
  plan: () => readonly DecisionPlan[],
  each: Each,
  earlier: readonly Promise<unknown>[],
): Promise<ResumeToolCallsResult> {
  const { options, context } = scope
  await Promise.allSettled(earlier)
  const validating = Promise.all(plan().map((one) => validate(scope, one)))
  const [validated] = await Promise.race([
    Promise.all([validating, loadToolSchemas(options)]),
    // The turn is over, and so is what waited in it: planning says so.
    whenAborted(context.abortSignal).then(() => [[]]),
  ])
  const inputs = each(validated ?? [], (input) => input())
  const plans = plan()
  each(plans, (one) => assertUnchanged(one, seen[plans.indexOf(one)]))
  return writeDecisions(scope, plans, inputs)
}

/** Throws when a call changed while its decision waited: the person saw another one. */
function assertUnchanged(
  { entry, isRepeated }: DecisionPlan,
  seen: DecisionPlan | undefined,
): void {
  if (isRepeated || isEqualJson(entry.part.input, seen?.entry.part.input)) return
  const text = `Tool call changed while it was being decided; look at it again: ${entry.toolCallId}`
  throw refusal('not_awaiting_approval', text, entry, { isSettled: false })
}

function planAll<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: CommandScope<TOOLS, MESSAGE>,
  decisions: readonly Decision[],
  each: Each,
): DecisionPlan[] {
  const keys = new Set<string>()
  return each(decisions, (decision) => {
    const plan = planDecision(scope, decision)
    const key = keyOf(plan.entry)
    if (keys.has(key)) {
      throw new EngineError('invalid_argument', 'Decide every call once: this one comes twice.')
    }
    keys.add(key)
    return plan
  })
}

function takesTime<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  { options }: CommandScope<TOOLS, MESSAGE>,
  { decision, editedInput, isRepeated }: DecisionPlan,
): boolean {
  if (isRepeated) return false
  return (
    editedInput !== undefined || (decision.outcome === 'yes_always' && !knownToolSchemas(options))
  )
}

/** Gives what the tool's schema makes of an edited input, or throws why it refuses. */
async function validate<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  { options }: CommandScope<TOOLS, MESSAGE>,
  { entry, decision, editedInput }: DecisionPlan,
): Promise<() => unknown> {
  const { toolCallId } = decision
  if (editedInput === undefined) return () => undefined
  const toolName = toolNameOf(entry.part)
  try {
    const input = await readInput(toolOf(options, toolName), structuredClone(editedInput))
    return () => input
  } catch (cause) {
    const text = `Tool "${toolName}" does not accept this input: ${describeThrown(cause)}`
    return () => {
      const details = { toolCallId, issues: issuesOf(cause) }
      throw new EngineError('invalid_input', text, { cause, details })
    }
  }
}

/** In one go: nobody sees a part of it. */
function writeDecisions<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: CommandScope<TOOLS, MESSAGE>,
  plans: readonly DecisionPlan[],
  inputs: readonly unknown[] = [],
): ResumeToolCallsResult {
  const toolCalls = plans.map(({ entry }) => refOf(entry))
  if (plans.every(({ isRepeated }) => isRepeated)) return { toolCalls, settled: [] }
  for (const [index, plan] of plans.entries()) {
    if (!plan.isRepeated) writeDecision(scope, plan, inputs[index])
  }
  const settled = applyPolicies(scope)
  goOn(scope)
  return { toolCalls, settled }
}

function writeDecision<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: CommandScope<TOOLS, MESSAGE>,
  { entry, decision, editedInput }: DecisionPlan,
  parsedInput: unknown,
): void {
  const { options, context, runtime } = scope
  const { outcome, reason, scope: covered } = decision
  const approved = outcome !== 'no'
  runtime.decided.add(keyOf(entry))
  const toolName = toolNameOf(entry.part)
  const record = recordOf(context, {
    ...entry,
    toolName,
    fingerprint: fingerprintOf(
      toolName,
      editedInput === undefined ? entry.part.input : editedInput,
    ),
  })
  const newId = toLocalApprovalId(context.generateId())
  changeCall(context, entry, (part) => {
    const edited = editedInput === undefined ? part : withChanges(part, { input: editedInput })
    // A call that awaits an output may be denied although nobody asked about it.
    const answered = answeredCall(edited, { id: part.approval?.id ?? newId, approved, reason })
    return changeMetadata(answered, {
      decidedAt: record.at,
      decidedBy: 'person',
      confirmationId: record.id,
      checkFailed: undefined,
      ...(editedInput !== undefined && {
        // Inputs are JSON.
        originalInput: (assentMetadata(part).originalInput ?? part.input) as JSONValue,
        summary: undefined,
        preview: undefined,
      }),
    })
  })
  context.appendConfirmation({
    ...record,
    outcome,
    ...given({ reason, scope: covered, editedInput }),
    ...given({ schema: covered && knownToolSchemas(options)?.get(toolName) }),
  })
  // A call that runs here is marked when it has its result.
  if (!approved || isElsewhere(entry.part)) context.markUnsent(refOf(entry))
  const edited = editedInput === undefined ? undefined : callNow(context, entry)
  if (!edited) return
  runtime.described.delete(keyOf(edited))
  describeCall(scope, edited, parsedInput)
}
