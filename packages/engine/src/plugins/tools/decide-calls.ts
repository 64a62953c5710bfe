import type { JSONValue, ToolSet, UIMessage } from 'ai'
import { isDevelopment } from '../../development.ts'
import { describeThrown, EngineError } from '../../errors.ts'
import { given } from '../../message/given.ts'
import { keyOf, refOf, waitingReason } from '../../message/tool-calls.ts'
import { withChanges } from '../../message/tool-call-draft.ts'
import { answeredCall, changeMetadata } from '../../message/tool-part-states.ts'
import {
  assentMetadata,
  isElsewhere,
  toLocalApprovalId,
  toolNameOf,
} from '../../message/tool-part.ts'
import { applyPolicies } from './apply-policies.ts'
import { planDecision, type Decision, type DecisionPlan } from './plan-decisions.ts'
import { describeCall } from './describe-call.ts'
import { fingerprintOf } from './fingerprint.ts'
import { issuesOf, knownToolSchemas, loadToolSchemas } from './input-schema.ts'
import type { ResumeToolCallsResult } from './commands.ts'
import { openCallOf, withdrawTask, type CommandScope } from './open-call.ts'
import { readCall, type CallReading } from './read-call.ts'
import { grantedScope } from './scope.ts'
import {
  awaitingCalls,
  callNow,
  changeCall,
  isAnyToDo,
  observe,
  recordOf,
  waitingCalls,
} from './turn-calls.ts'
import { whenAborted } from './deadline.ts'

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
  const { runtime } = scope
  const plan = () => planAll(scope, decisions, each)
  const plans = plan()
  const calls = plans.map(({ entry }) => openCallOf(runtime, entry))
  // A denial waits for nothing: an edit that is still being validated decides nothing yet.
  const isDenial = plans.every(({ decision }) => decision.outcome === 'no')
  const earlier = isDenial ? [] : calls.flatMap(({ deciding }) => deciding ?? [])
  const isAtOnce = earlier.length === 0 && plans.every((one) => !takesTime(scope, one))
  if (isAtOnce) return writeDecisions(scope, plans)
  const decided = decideLater(scope, plan, each, earlier)
  for (const call of calls) call.deciding = decided
  const forget = () => {
    for (const call of calls) if (call.deciding === decided) call.deciding = undefined
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
  const readings = each(validated ?? [], (reading) => reading())
  return writeDecisions(scope, plan(), readings)
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
      throw new EngineError(
        'invalid_argument',
        isDevelopment && 'Decide every call once: this one comes twice.',
      )
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

/** Reads an edited input by its tool's schema, or throws why that refuses. */
async function validate<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: CommandScope<TOOLS, MESSAGE>,
  { entry, decision, editedInput }: DecisionPlan,
): Promise<() => CallReading | undefined> {
  const { toolCallId } = decision
  if (editedInput === undefined) return () => undefined
  try {
    const reading = await readCall(scope, {
      ...entry,
      part: withChanges(entry.part, { input: editedInput }),
    })
    return () => reading
  } catch (cause) {
    const issues = cause instanceof Error ? issuesOf(cause) : []
    const details = { toolCallId, issues }
    return () => {
      throw new EngineError('invalid_input', describeThrown(cause), { cause, details })
    }
  }
}

/** In one go: nobody sees a part of it. */
function writeDecisions<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: CommandScope<TOOLS, MESSAGE>,
  plans: readonly DecisionPlan[],
  readings: readonly (CallReading | undefined)[] = [],
): ResumeToolCallsResult {
  const toolCalls = plans.map(({ entry }) => refOf(entry))
  if (plans.every(({ isRepeated }) => isRepeated)) return { toolCalls, settled: [] }
  for (const [index, plan] of plans.entries()) {
    if (!plan.isRepeated) writeDecision(scope, plan, readings[index])
  }
  const settled = applyPolicies(scope)
  goOn(scope)
  return { toolCalls, settled }
}

function writeDecision<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: CommandScope<TOOLS, MESSAGE>,
  { entry, decision, editedInput }: DecisionPlan,
  reading: CallReading | undefined,
): void {
  const { options, context, runtime } = scope
  const { outcome, reason, withoutRecord } = decision
  const approved = outcome !== 'no'
  const call = openCallOf(runtime, entry)
  withdrawTask(runtime, call)
  call.isDecidedHere = true
  call.preview = undefined
  const toolName = toolNameOf(entry.part)
  const record = recordOf(context, {
    ...entry,
    toolName,
    fingerprint: fingerprintOf(toolName, reading ? editedInput : entry.part.input),
  })
  const covered = decision.scope && grantedScope(decision.scope, record.at)
  const newId = toLocalApprovalId(context.generateId())
  call.seenAs = record.fingerprint
  changeCall(context, entry, (part) => {
    const edited = reading ? withChanges(part, { input: editedInput }) : part
    // A call that awaits an output may be denied although nobody asked about it.
    const answered = answeredCall(edited, { id: part.approval?.id ?? newId, approved, reason })
    return changeMetadata(answered, {
      decidedAt: record.at,
      decidedBy: 'person',
      confirmationId: record.id,
      checkFailed: undefined,
      recordFailed: undefined,
      refused: undefined,
      withoutRecord,
      ...(reading && {
        // Inputs are JSON.
        originalInput: (assentMetadata(part).originalInput ?? part.input) as JSONValue,
        readAs: reading.readAs,
        summary: undefined,
        preview: undefined,
      }),
    })
  })
  const schema = covered && knownToolSchemas(options)?.get(toolName)
  context.appendConfirmations([
    {
      ...record,
      outcome,
      ...given({ reason, scope: covered, editedInput, withoutRecord, schema }),
    },
  ])
  // A call that runs here is marked when it has its result.
  if (!approved || isElsewhere(entry.part)) context.markUnsent(refOf(entry))
  const edited = reading && callNow(context, entry)
  if (!edited) return
  call.isDescribed = false
  observe(context, () => describeCall(scope, edited, call, reading.copy))
}

/**
 * After a command has decided or settled a call: the turn goes on when nothing waits any more, or
 * when that opened the gate of something; else it says anew what it waits for.
 */
export function goOn<TOOLS extends ToolSet, MESSAGE extends UIMessage>({
  options,
  context,
}: CommandScope<TOOLS, MESSAGE>): void {
  if (context.turn?.isRepaired) context.markRepaired(false)
  const waiting = waitingCalls(context)
  const isAny = isAnyToDo(context)
  const isGateOpen = options.gate === 'call' || awaitingCalls(context).length === 0
  if (
    waiting.length === 0 ||
    (isAny && isGateOpen) ||
    context.getState().processingState === 'calling-tools'
  ) {
    context.advance(isAny ? 'calling-tools' : 'requesting')
  } else context.setPauseReason(waitingReason(waiting))
}
