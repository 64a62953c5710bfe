import type { ToolSet, UIMessage } from 'ai'
import { describeThrown } from '../../errors.ts'
import { given } from '../../message/given.ts'
import { keyOf, type ToolCallEntry } from '../../message/tool-calls.ts'
import {
  answeredCall,
  askedCall,
  changeMetadata,
  declinedCall,
  deniedCall,
  failedCall,
} from '../../message/tool-part-states.ts'
import {
  assentMetadata,
  isAwaitingApproval,
  isElsewhere,
  toLocalApprovalId,
  type ToolCallPart,
} from '../../message/tool-part.ts'
import { decideByRules, type RuleDecision } from './decide.ts'
import { describeCall } from './describe-calls.ts'
import { executorOf } from './execute.ts'
import { readInput } from './input-schema.ts'
import { toolOf, type ToolCall } from './options.ts'
import { runCall } from './run-call.ts'
import { notifyChange, type SettleScope } from './tool-runtime.ts'
import {
  changeCall,
  isScheduled,
  isUndecided,
  openCalls,
  settleCall,
  toToolCall,
} from './turn-calls.ts'

/**
 * Moves every open call of the turn as far as it can go now: undecided ones are decided, and those
 * whose gate is open are started. Answers whether something will change by itself.
 */
export function advanceCalls<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: SettleScope<TOOLS, MESSAGE>,
): boolean {
  const { options, context, runtime } = scope
  const isByCall = options.gate === 'call'
  const isBusy = (entry: ToolCallEntry) => runtime.busy.has(keyOf(entry))
  // With gate `'step'` every call of the step must be decided first, wherever it is executed.
  const isGateOpen = () =>
    isByCall ||
    !openCalls(context).some(({ part }) => isAwaitingApproval(part) || isUndecided(part))

  for (const entry of openCalls(context)) {
    if (isUndecided(entry.part) && !isBusy(entry)) void decideCall(scope, entry)
  }
  if (isGateOpen()) {
    const open = openCalls(context)
    // With gate `'step'` the checks before the start come first: one may ask again.
    const unchecked = open.filter(({ part }) => isUnchecked(part))
    for (const entry of isByCall || unchecked.length === 0 ? open : unchecked) {
      if (!isBusy(entry)) startCall(scope, entry)
    }
  }
  // What is scheduled behind an open gate waits for a place.
  const isWaitingForPlace = isGateOpen()
  return openCalls(context).some(
    (entry) => isBusy(entry) || (isWaitingForPlace && isScheduled(entry.part)),
  )
}

/** Starts a call whose gate is open, if there is a place; settles it if it was denied. */
function startCall<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: SettleScope<TOOLS, MESSAGE>,
  entry: ToolCallEntry,
): void {
  const { options, context, runtime } = scope
  const { part } = entry
  // A callback of the call before this one may have ended the turn.
  if (isElsewhere(part) || context.abortSignal.aborted) return
  if (!isScheduled(part)) {
    return changeCall(context, entry, (denied) => deniedCall(denied, context.now()))
  }
  if (runtime.places.size >= (options.concurrency ?? Infinity)) return
  // The world may have changed while the person decided: a deny of the rules still stands above.
  if (isUnchecked(part)) void decideCall(scope, entry)
  else runCall(scope, entry)
}

/**
 * Asks the rules, then writes what they say: one fact, from which the loop goes on. What goes wrong
 * on the way is the result of the call.
 */
async function decideCall<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: SettleScope<TOOLS, MESSAGE>,
  entry: ToolCallEntry,
): Promise<void> {
  const { options, context, runtime } = scope
  // The turn's own: a check may answer when another turn asks about a call of the same name.
  const { busy, calls } = runtime
  const key = keyOf(entry)
  const isConfirmed = isUnchecked(entry.part)
  busy.add(key)
  try {
    // After a reload nothing has read the input of a confirmed call yet.
    const call = (isConfirmed && calls.get(key)) || (await readCall(scope, entry))
    calls.set(key, call)
    if (context.abortSignal.aborted) return
    if (!isConfirmed) describeCall(scope, entry, call.input)
    writeDecision(scope, entry, await decideByRules(call, options, context, isConfirmed))
  } catch (error) {
    settleCall(context, entry, (part) => failedCall(part, describeThrown(error)))
  } finally {
    busy.delete(key)
    notifyChange(runtime)
  }
}

/** The call with what its tool's schema makes of the input. Throws for a call that cannot run. */
async function readCall<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  { options, context }: SettleScope<TOOLS, MESSAGE>,
  entry: ToolCallEntry,
): Promise<ToolCall> {
  if (entry.part.state === 'input-streaming') {
    throw new TypeError('The input of this call was cut off; it did not run.')
  }
  const call = toToolCall(entry)
  const { toolName } = call
  // Throws when there is none.
  executorOf(toolName, options, context)
  try {
    // A copy: what tools and rules do with theirs must not change the message.
    return { ...call, input: await readInput(toolOf(options, toolName), copyOf(call.input)) }
  } catch (error) {
    throw new TypeError(`Invalid input for tool "${toolName}": ${describeThrown(error)}`, {
      cause: error,
    })
  }
}

function writeDecision<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  { context }: SettleScope<TOOLS, MESSAGE>,
  entry: ToolCallEntry,
  { type, reason }: RuleDecision,
): void {
  const at = context.now()
  const newId = toLocalApprovalId(context.generateId())
  const answer = (part: ToolCallPart, approved: boolean) => {
    const { id = newId } = part.approval ?? {}
    const answered = answeredCall(part, { id, approved, reason, isAutomatic: true })
    return changeMetadata(answered, { decidedAt: at, decidedBy: 'rule' })
  }
  if (type === 'denied') {
    settleCall(context, entry, (part) => declinedCall(answer(part, false)))
  } else if (type === 'user-approval') {
    const request = { id: newId, ...given({ requestReason: reason }) }
    changeCall(context, entry, (part) => askedCall(part, request))
  } else {
    changeCall(context, entry, (part) =>
      changeMetadata(type === 'approved' ? answer(part, true) : part, { scheduledAt: at }),
    )
  }
}

/** A local call that a person approved, before the rules were asked once more. */
function isUnchecked(part: ToolCallPart): boolean {
  return isScheduled(part) && assentMetadata(part).scheduledAt === undefined
}

/** Inputs are JSON, and may be proxies of a reactive framework, which `structuredClone` refuses. */
function copyOf(input: unknown): unknown {
  return input && JSON.parse(JSON.stringify(input))
}
