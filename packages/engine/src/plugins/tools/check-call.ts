import type { ToolSet, UIMessage } from 'ai'
import { describeThrown } from '../../errors.ts'
import { given } from '../../message/given.ts'
import { keyOf, type ToolCallEntry } from '../../message/tool-calls.ts'
import {
  answeredCall,
  askedCall,
  changeMetadata,
  declinedCall,
  failedCall,
} from '../../message/tool-part-states.ts'
import {
  assentMetadata,
  isSettled,
  toLocalApprovalId,
  toolNameOf,
  type ToolCallPart,
} from '../../message/tool-part.ts'
import type { ToolPreview } from '../../message/tool-preview.ts'
import { applyPolicies } from './apply-policies.ts'
import { decideByRules, type RuleDecision } from './decide.ts'
import { describeCall } from './describe-calls.ts'
import { executorOf } from './execute.ts'
import { fingerprintOf } from './fingerprint.ts'
import { readInput } from './input-schema.ts'
import { hasNoExecutor, toolOf } from './options.ts'
import { hasPreview, makePreview } from './preview-calls.ts'
import { redactErrorText } from './redact-output.ts'
import { runCall } from './run-call.ts'
import { whyNotStanding } from './standing.ts'
import { notifyChange, type ReadCall, type SettleScope } from './tool-runtime.ts'
import {
  callNow,
  changeCall,
  isScheduled,
  isUndecided,
  settleCall,
  toToolCall,
} from './turn-calls.ts'

/**
 * Asks the rules about a call, then writes what they say: one fact, from which the loop goes on.
 * What goes wrong on the way is the result of the call. A call that may start, and for which a place
 * is held meanwhile, starts in the moment of the answer: nothing can change in between.
 */
export async function checkCall<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: SettleScope<TOOLS, MESSAGE>,
  entry: ToolCallEntry,
  place?: object,
): Promise<void> {
  const { options, context, runtime } = scope
  // The turn's own: a check may answer when another turn asks about a call of the same name.
  const { busy, checked, late, places } = runtime
  const key = keyOf(entry)
  const toolName = toolNameOf(entry.part)
  let isReady = false
  busy.add(key)
  if (place) places.add(place)
  try {
    const read = await readCall(scope, entry)
    if (isUndecided(entry.part)) describeCall(scope, entry, read.call.input)
    const before = callNow(context, entry)?.part
    const decision = await decideByRules(read.call, options, context, isConfirmed(entry.part))
    let { preview } = assentMetadata(entry.part)
    if (decision.type === 'user-approval' && !preview && hasPreview(options, toolName)) {
      preview = await makePreview(scope, toolName, read.call.input)
    }
    const asked = callNow(context, entry)
    // What a person did meanwhile counts more; the loop looks again.
    if (asked && asked.part === before && before?.input === read.source) {
      isReady = writeDecision(scope, asked, read, decision, preview)
    }
    if (isReady) checked.add(key)
  } catch (error) {
    settleCall(context, entry, (part) =>
      isSettled(part)
        ? part
        : failedCall(part, redactErrorText(scope, toolName, describeThrown(error))),
    )
  } finally {
    busy.delete(key)
    if (place) {
      late.delete(key)
      places.delete(place)
      const ready = isReady && !context.abortSignal.aborted && callNow(context, entry)
      if (ready) runCall(scope, ready)
    }
    notifyChange(runtime)
  }
}

/** A yes that rules can only deny: that of a person or policy. */
function isConfirmed(part: ToolCallPart): boolean {
  return part.state === 'approval-responded' && assentMetadata(part).decidedBy !== 'rule'
}

/** The call with what its tool's schema makes of the input. Throws for a call that cannot run. */
async function readCall<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  { options, context, runtime }: SettleScope<TOOLS, MESSAGE>,
  entry: ToolCallEntry,
): Promise<ReadCall> {
  const { calls } = runtime
  const key = keyOf(entry)
  const { input: source, state } = entry.part
  const known = calls.get(key)
  if (known && known.source === source) return known
  if (state === 'input-streaming') {
    throw new TypeError('The input of this call was cut off; it did not run.')
  }
  const call = toToolCall(entry)
  const { toolName } = call
  // Throws when there is none.
  if (!hasNoExecutor(options, toolName)) executorOf(toolName, options, context)
  // A copy: what tools and rules do with theirs must not change the message.
  const copy = copyOf(source)
  const fingerprint = fingerprintOf(toolName, copy)
  try {
    const input = await readInput(toolOf(options, toolName), copy)
    const read = { call: { ...call, input }, source, fingerprint }
    calls.set(key, read)
    return read
  } catch (error) {
    throw new TypeError(`Invalid input for tool "${toolName}": ${describeThrown(error)}`, {
      cause: error,
    })
  }
}

/** Writes what the rules say. Answers whether the call may start. */
function writeDecision<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: SettleScope<TOOLS, MESSAGE>,
  entry: ToolCallEntry,
  read: ReadCall,
  { type, reason, isFailed }: RuleDecision,
  preview: ToolPreview | undefined,
): boolean {
  const { options, context } = scope
  const at = context.now()
  const newId = toLocalApprovalId(context.generateId())
  const awaitsOutput = hasNoExecutor(options, read.call.toolName) || undefined
  const answer = (part: ToolCallPart, approved: boolean) => {
    const { id = newId } = part.approval ?? {}
    const answered = answeredCall(part, { id, approved, reason, isAutomatic: true })
    return changeMetadata(answered, { decidedAt: at, decidedBy: 'rule', confirmationId: undefined })
  }
  const ask = (requestReason: string | undefined) => {
    const request = { id: newId, ...given({ requestReason }) }
    changeCall(context, entry, (part) =>
      changeMetadata(askedCall(part, request), { awaitsOutput, checkFailed: isFailed, preview }),
    )
    applyPolicies(scope)
    const now = callNow(context, entry)
    return now !== undefined && isScheduled(now.part)
  }
  if (type === 'denied') {
    settleCall(context, entry, (part) => declinedCall(answer(part, false)))
    return false
  }
  if (type === 'user-approval') return ask(reason)
  const why = isConfirmed(entry.part) ? whyNotStanding(scope, entry, read.fingerprint) : undefined
  if (why) return ask(why)
  // When it was checked before, it only may still start.
  if (assentMetadata(entry.part).scheduledAt === undefined) {
    changeCall(context, entry, (part) =>
      changeMetadata(type === 'approved' ? answer(part, true) : part, {
        scheduledAt: at,
        awaitsOutput,
      }),
    )
  }
  return !awaitsOutput
}

/** Inputs are JSON, and may be proxies of a reactive framework, which `structuredClone` refuses. */
function copyOf(input: unknown): unknown {
  return input && JSON.parse(JSON.stringify(input))
}
