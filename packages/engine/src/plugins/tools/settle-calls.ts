import type { ToolSet, UIMessage } from 'ai'
import { describeThrown } from '../../errors.ts'
import { keyOf, refOf, type ToolCallEntry } from '../../message/tool-calls.ts'
import {
  answeredCall,
  askedCall,
  changeMetadata,
  deniedCall,
  failedCall,
} from '../../message/tool-part-states.ts'
import {
  assentMetadata,
  isElsewhere,
  toLocalApprovalId,
  type ToolCallPart,
} from '../../message/tool-part.ts'
import { decideByApproval, decideByRules, type RuleDecision } from './decide.ts'
import { describeCall } from './describe-calls.ts'
import { executorOf, type Executor } from './execute.ts'
import { readInput } from './input-schema.ts'
import type { ToolCall, ToolCallContext, ToolPluginOptions } from './options.ts'
import { runCall } from './run-call.ts'
import { isInProgress, notifyChange, type SettleScope } from './tool-runtime.ts'
import { changeCall, isAnyAwaiting, openCalls, toToolCall } from './turn-calls.ts'

/**
 * Moves every open call of the turn as far as it can go now: undecided ones are decided, and those
 * whose gate is open are started. Answers whether something will change by itself.
 */
export function advanceCalls<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: SettleScope<TOOLS, MESSAGE>,
): boolean {
  const { options, context, runtime } = scope
  for (const entry of openCalls(context)) {
    if (isUndecided(entry.part) && !isInProgress(runtime, entry)) decideCall(scope, entry)
  }
  const open = openCalls(context)
  if (isGateOpen(open, options)) {
    // With gate `'step'` the checks before the start come first: one may ask again.
    const unchecked = open.filter(({ part }) => isUnchecked(part))
    const isHeld = options.gate !== 'call' && unchecked.length > 0
    for (const entry of isHeld ? unchecked : open) {
      if (!isInProgress(runtime, entry)) startCall(scope, entry)
    }
  }
  const left = openCalls(context)
  const isWaitingForPlace = isGateOpen(left, options)
  return left.some(
    (entry) => isInProgress(runtime, entry) || (isWaitingForPlace && isScheduled(entry.part)),
  )
}

/** Whether a call of the turn is there to be decided or to be run here. */
export function isAnyToDo<MESSAGE extends UIMessage>(context: ToolCallContext<MESSAGE>): boolean {
  return openCalls(context).some(({ part }) => isUndecided(part) || isScheduled(part))
}

/** With gate `'step'` every call of the step must be decided first, wherever it is executed. */
function isGateOpen<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  open: readonly ToolCallEntry[],
  { gate = 'step' }: ToolPluginOptions<TOOLS, MESSAGE>,
): boolean {
  return gate === 'call' || !(isAnyAwaiting(open) || open.some(({ part }) => isUndecided(part)))
}

/** Asks the rules, then writes what they say: one fact, from which the loop goes on. */
function decideCall<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: SettleScope<TOOLS, MESSAGE>,
  entry: ToolCallEntry,
): void {
  const { options, context } = scope
  if (entry.part.state === 'input-streaming') {
    return failCall(scope, entry, 'The input of this call was cut off; it did not run.')
  }
  const executor = executorOf(toToolCall(entry).toolName, options)
  if (executor.type === 'none') return failCall(scope, entry, executor.text)

  void whileDeciding(scope, entry, async () => {
    const call = await readCall(scope, entry, executor)
    if (!call) return
    describeCall(scope, entry, call.input)
    writeDecision(scope, entry, await decideByRules(call, options, context))
  })
}

/** The call with what its tool's schema makes of the input. A refused input is its result. */
async function readCall<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: SettleScope<TOOLS, MESSAGE>,
  entry: ToolCallEntry,
  { tool }: Exclude<Executor, { type: 'none' }>,
): Promise<ToolCall | undefined> {
  const shown = toToolCall(entry)
  // A copy: what tools and rules do with theirs must not change the message.
  const read = await readInput(tool, copyOf(shown.input)).catch((error: unknown) => ({
    message: describeThrown(error),
  }))
  if (scope.context.abortSignal.aborted) return undefined
  if ('message' in read) {
    failCall(scope, entry, `Invalid input for tool "${shown.toolName}": ${read.message}`)
    return undefined
  }
  const call = { ...shown, input: read.value }
  scope.runtime.calls.set(keyOf(entry), call)
  return call
}

function writeDecision<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: SettleScope<TOOLS, MESSAGE>,
  entry: ToolCallEntry,
  decision: RuleDecision,
): void {
  const { context } = scope
  const at = context.now()
  const id = entry.part.approval?.id ?? toLocalApprovalId(context.generateId())
  const answer = (part: ToolCallPart, approved: boolean) =>
    changeMetadata(
      answeredCall(part, { id, approved, reason: decision.reason, isAutomatic: true }),
      { decidedAt: at, decidedBy: 'rule' },
    )
  switch (decision.type) {
    case 'ask':
      return askAbout(scope, entry, decision.reason)
    case 'deny':
      changeCall(context, entry, (part) => deniedCall(answer(part, false), at))
      return context.markUnsent(refOf(entry))
    case 'run':
      return changeCall(context, entry, (part) =>
        changeMetadata(decision.isApproved ? answer(part, true) : part, { scheduledAt: at }),
      )
  }
}

function askAbout<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  { context }: SettleScope<TOOLS, MESSAGE>,
  entry: ToolCallEntry,
  requestReason: string | undefined,
): void {
  const id = toLocalApprovalId(context.generateId())
  changeCall(context, entry, (part) =>
    askedCall(part, { id, ...(requestReason === undefined ? {} : { requestReason }) }),
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
  if (part.state === 'approval-responded' && !part.approval.approved) {
    return changeCall(context, entry, (denied) => deniedCall(denied, context.now()))
  }
  if (!isScheduled(part) || runtime.places >= (options.concurrency ?? Infinity)) return
  const executor = executorOf(toToolCall(entry).toolName, options)
  if (executor.type === 'none') return failCall(scope, entry, executor.text)
  if (isUnchecked(part)) {
    return checkAgain(scope, entry, executor)
  }
  runCall(entry, executor, options, context, runtime)
}

/** The world may have changed while the person decided: a deny of the rules still stands above. */
function checkAgain<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: SettleScope<TOOLS, MESSAGE>,
  entry: ToolCallEntry,
  executor: Exclude<Executor, { type: 'none' }>,
): void {
  const { options, context, runtime } = scope
  void whileDeciding(scope, entry, async () => {
    // After a reload nothing has read it yet.
    const call = runtime.calls.get(keyOf(entry)) ?? (await readCall(scope, entry, executor))
    if (!call) return
    const decision = await decideByApproval(call, options, context)
    if (decision.type === 'deny') {
      writeDecision(scope, entry, decision)
    } else if (decision.type === 'ask' && decision.isFailedCheck) {
      askAbout(scope, entry, decision.reason)
    } else {
      changeCall(context, entry, (part) => changeMetadata(part, { scheduledAt: context.now() }))
    }
  })
}

async function whileDeciding<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: SettleScope<TOOLS, MESSAGE>,
  entry: ToolCallEntry,
  decide: () => Promise<void>,
): Promise<void> {
  // The turn's own: a check may answer when another turn asks about a call of the same name.
  const { deciding } = scope.runtime
  const key = keyOf(entry)
  deciding.add(key)
  try {
    await decide()
  } catch (error) {
    // Checks that throw are decisions; this one could not be written, and must not be tried for ever.
    failCall(scope, entry, `Deciding on this call failed: ${describeThrown(error)}`)
  } finally {
    deciding.delete(key)
    notifyChange(scope.runtime)
  }
}

function failCall<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  { context }: SettleScope<TOOLS, MESSAGE>,
  entry: ToolCallEntry,
  text: string,
): void {
  changeCall(context, entry, (part) =>
    changeMetadata(failedCall(part, text), { endedAt: context.now() }),
  )
  context.markUnsent(refOf(entry))
}

/** Inputs are JSON, and may be proxies of a reactive framework, which `structuredClone` refuses. */
function copyOf(input: unknown): unknown {
  return input === undefined ? undefined : JSON.parse(JSON.stringify(input))
}

/** A local call that no rule was asked about yet. */
function isUndecided(part: ToolCallPart): boolean {
  if (isElsewhere(part)) return false
  return (
    part.state === 'input-streaming' ||
    (part.state === 'input-available' && assentMetadata(part).scheduledAt === undefined)
  )
}

/** A local call that a person approved, before the rules were asked once more. */
function isUnchecked(part: ToolCallPart): boolean {
  if (isElsewhere(part) || part.state !== 'approval-responded') return false
  return part.approval.approved && assentMetadata(part).scheduledAt === undefined
}

/** A local call that may run and does not yet. */
function isScheduled(part: ToolCallPart): boolean {
  if (isElsewhere(part) || assentMetadata(part).startedAt !== undefined) return false
  return (
    (part.state === 'input-available' && assentMetadata(part).scheduledAt !== undefined) ||
    (part.state === 'approval-responded' && part.approval.approved)
  )
}
