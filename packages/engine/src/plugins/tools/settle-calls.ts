import type { ToolSet, UIMessage } from 'ai'
import { keyOf, type ToolCallEntry } from '../../message/tool-calls.ts'
import { deniedCall } from '../../message/tool-part-states.ts'
import { isAwaitingApproval, isElsewhere } from '../../message/tool-part.ts'
import { applyPolicies, noteVoidPolicies, reopenLapsedCalls } from './apply-policies.ts'
import { checkCall } from './check-call.ts'
import { settleInterrupted } from './interrupted-calls.ts'
import { askAboutRestored } from './restored-calls.ts'
import { runCall } from './run-call.ts'
import type { SettleScope, ToolRuntime } from './tool-runtime.ts'
import { changeCall, isScheduled, isUndecided, openCalls } from './turn-calls.ts'

/**
 * Moves every open call of the turn as far as it can go now: undecided ones are decided, and those
 * whose gate is open are started. Answers whether something will change by itself.
 */
export function advanceCalls<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: SettleScope<TOOLS, MESSAGE>,
): boolean {
  const { options, context, runtime } = scope
  const { busy, checked, late } = runtime
  const isByCall = options.gate === 'call'
  const isBusy = (entry: ToolCallEntry) => busy.has(keyOf(entry))

  settleInterrupted(scope)
  askAboutRestored(scope)
  noteVoidPolicies(scope)
  reopenLapsedCalls(scope)
  applyPolicies(scope)
  for (const entry of openCalls(context)) {
    if (isUndecided(entry.part) && !isBusy(entry)) void checkCall(scope, entry)
  }
  if (isGateOpen(scope)) {
    const open = openCalls(context)
    // With gate `'step'` the checks before the start come first: one may ask again.
    const unchecked = open.filter(
      (entry) => isScheduled(entry.part) && !isFresh(runtime, entry) && !late.has(keyOf(entry)),
    )
    const isCheckingAll = !isByCall && unchecked.length > 0
    for (const entry of isCheckingAll ? unchecked : open) {
      if (isBusy(entry)) continue
      if (isCheckingAll) void checkCall(scope, entry)
      else startCall(scope, entry)
    }
  } else {
    // While a person decides, what was checked may change.
    checked.clear()
    late.clear()
  }
  // What is scheduled behind an open gate waits for a place.
  const isWaitingForPlace = isGateOpen(scope)
  return openCalls(context).some(
    (entry) => isBusy(entry) || (isWaitingForPlace && isScheduled(entry.part)),
  )
}

/** With gate `'step'` every call of the step must be decided first, wherever it is executed. */
function isGateOpen<TOOLS extends ToolSet, MESSAGE extends UIMessage>({
  options,
  context,
}: SettleScope<TOOLS, MESSAGE>): boolean {
  if (options.gate === 'call') return true
  return !openCalls(context).some(({ part }) => isAwaitingApproval(part) || isUndecided(part))
}

/** Starts a call whose gate is open, if there is a place; settles it if it was denied. */
function startCall<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: SettleScope<TOOLS, MESSAGE>,
  entry: ToolCallEntry,
): void {
  const { options, context, runtime } = scope
  const { checked, late, places } = runtime
  const { part } = entry
  // A callback of the call before this one may have ended the turn.
  if (isElsewhere(part) || context.abortSignal.aborted) return
  if (!isScheduled(part)) {
    return changeCall(context, entry, (denied) => deniedCall(denied, context.now()))
  }
  if (places.size >= (options.concurrency ?? Infinity)) {
    late.add(keyOf(entry))
    checked.delete(keyOf(entry))
  } else if (isFresh(runtime, entry)) runCall(scope, entry)
  // The world may have changed while it waited: a deny of the rules still stands above a yes.
  else void checkCall(scope, entry, {})
}

/** Whether the rules were asked about the call as it is, and nobody was waited for since. */
function isFresh({ checked, calls }: ToolRuntime, entry: ToolCallEntry): boolean {
  const key = keyOf(entry)
  return checked.has(key) && calls.get(key)?.source === entry.part.input
}
