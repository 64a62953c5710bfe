import type { ToolSet, UIMessage } from 'ai'
import { describeThrown, EngineError } from '../../errors.ts'
import type { ToolCallEntry } from '../../message/tool-calls.ts'
import {
  changeMetadata,
  deniedCall,
  failedCall,
  reopenedCall,
  succeededCall,
  unstartedCall,
} from '../../message/tool-part-states.ts'
import {
  assentMetadata,
  isAwaitingApproval,
  isElsewhere,
  toolNameOf,
} from '../../message/tool-part.ts'
import { applyPolicies, noteEndedPolicies, reopenLapsedCalls } from './apply-policies.ts'
import { checkCall } from './check-call.ts'
import { describeCall, previewCall } from './describe-call.ts'
import {
  beginTask,
  isUnderWay,
  openCallOf,
  phaseOf,
  type CallPhase,
  type OpenCall,
  type SettleScope,
} from './open-call.ts'
import { asksOnRestore, optionsOf, type Verification } from './options.ts'
import { copyOfInput } from './read-call.ts'
import { noteRepeats } from './repeats.ts'
import { noteSeen } from './seen-calls.ts'
import { startCall } from './start-call.ts'
import {
  changeCall,
  isScheduled,
  isUndecided,
  observe,
  openCalls,
  settleCall,
} from './turn-calls.ts'

/** What changes by itself: something is under way. */
const MOVING: ReadonlySet<CallPhase> = new Set(['checking', 'starting', 'running', 'verifying'])
/** What may run once its gate is open. */
const SCHEDULED: ReadonlySet<CallPhase> = new Set(['unchecked', 'ready', 'queued'])

/**
 * Moves every open call of the turn as far as it can go now: undecided ones are decided, and those
 * whose gate is open are started. Answers whether something will change by itself.
 */
export function advanceCalls<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: SettleScope<TOOLS, MESSAGE>,
): boolean {
  const { options, context, runtime } = scope
  const callOf = (entry: ToolCallEntry) => openCallOf(runtime, entry)
  const phase = (entry: ToolCallEntry) => phaseOf(callOf(entry), entry.part)
  const callsIn = (...phases: readonly CallPhase[]) =>
    openCalls(context).filter((entry) => phases.includes(phase(entry)))

  noteSeen(context, runtime)
  for (const entry of callsIn('interrupted')) settleInterrupted(scope, entry, callOf(entry))
  askAboutRestored(scope)
  noteRepeats(scope)
  noteEndedPolicies(scope)
  reopenLapsedCalls(scope)
  applyPolicies(scope)
  for (const entry of openCalls(context)) {
    if (isUndecided(entry.part)) continue
    observe(context, () =>
      describeCall(scope, entry, callOf(entry), () => copyOfInput(entry.part.input)),
    )
  }
  for (const entry of callsIn('undecided')) checkCall(scope, entry, callOf(entry))
  for (const entry of callsIn('waiting')) previewCall(scope, entry, callOf(entry))
  const isOpen = isGateOpen(scope)
  const isPending = (entry: ToolCallEntry) => !callOf(entry).isQueued
  if (isOpen) {
    // The checks before the start come first; with gate `'step'` those of all: one may ask again.
    for (const entry of callsIn('unchecked')) checkCall(scope, entry, callOf(entry))
    if (options.gate === 'call' || !callsIn('checking').some(isPending)) {
      for (const entry of callsIn('declined')) {
        changeCall(context, entry, (part) => deniedCall(part, context.now()))
      }
      for (const entry of callsIn('ready', 'queued')) startInSlot(scope, entry)
    }
  } else {
    for (const call of runtime.calls.values()) {
      // While a person decides, what was checked may change.
      call.checked = undefined
      call.isQueued = false
    }
  }
  return openCalls(context).some((entry) => {
    const now = phase(entry)
    const isPreviewing = now === 'waiting' && callOf(entry).preview === 'making'
    return MOVING.has(now) || isPreviewing || (isOpen && SCHEDULED.has(now))
  })
}

/** With gate `'step'` every call of the step must be decided first, wherever it is executed. */
function isGateOpen<TOOLS extends ToolSet, MESSAGE extends UIMessage>({
  options,
  context,
}: SettleScope<TOOLS, MESSAGE>): boolean {
  if (options.gate === 'call') return true
  return !openCalls(context).some(({ part }) => isAwaitingApproval(part) || isUndecided(part))
}

/** Starts a call if there is a slot for it; one that had to wait for that is checked once more. */
function startInSlot<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: SettleScope<TOOLS, MESSAGE>,
  entry: ToolCallEntry,
): void {
  const { options, context, runtime } = scope
  const call = openCallOf(runtime, entry)
  const phase = phaseOf(call, entry.part)
  // A callback of the call before this one may have ended the turn, or settled this call.
  if (context.abortSignal.aborted || !SCHEDULED.has(phase)) return
  if (runtime.slots.size >= (options.concurrency ?? Infinity)) {
    call.isQueued = true
    call.checked = undefined
  } else if (phase === 'ready') startCall(scope, entry, call)
  else checkCall(scope, entry, call, true)
}

/**
 * With `onRestore: 'ask'`, makes calls wait again that were decided before this engine began and
 * that have not started: a person may think otherwise by now.
 */
function askAboutRestored<TOOLS extends ToolSet, MESSAGE extends UIMessage>({
  options,
  context,
  runtime,
}: SettleScope<TOOLS, MESSAGE>): void {
  if (!asksOnRestore(options)) return
  for (const entry of openCalls(context)) {
    const { part } = entry
    const isDecided = ['person', 'policy'].includes(assentMetadata(part).decidedBy ?? '')
    if (!isDecided || isElsewhere(part) || !isScheduled(part)) continue
    if (!openCallOf(runtime, entry).isDecidedHere) {
      changeCall(context, entry, () => reopenedCall(part, ASKED_AGAIN))
    }
  }
}

const ASKED_AGAIN = 'The app restarted after this was approved and before it ran.'

/**
 * Stands where nobody knows whether a tool took effect: its start is stored, and no result. The app may have ended, or
 * the store been away, then also before the tool began.
 */
const UNKNOWN =
  'Interrupted before its result was stored. Whether it ran, and took effect, is not known: look before you assume either.'

/**
 * Settles a call that had started when the app ended: nothing of this engine runs it. What is written
 * is an error that says what is not known, unless the tool may run again, or can tell.
 */
function settleInterrupted<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: SettleScope<TOOLS, MESSAGE>,
  entry: ToolCallEntry,
  call: OpenCall,
): void {
  const { options, context } = scope
  const own = optionsOf(options, toolNameOf(entry.part))
  const { onInterrupted = options.onInterrupted ?? 'error', idempotent, verify } = own
  const task = { kind: 'verifying' } as const
  const settle = async () => {
    const isVerified = onInterrupted === 'verify' && verify
    const input = copyOfInput(entry.part.input)
    // The input is what the tool's schema describes, or its check throws.
    const known = isVerified ? await verify(input as never) : undefined
    if (!isUnderWay(context, call, task)) return
    if (known && 'output' in known) {
      settleCall(context, entry, (part) => succeededCall(part, known.output, false))
    } else if (hasNotHappened(known) || (onInterrupted === 'retry' && idempotent)) {
      changeCall(context, entry, unstartedCall)
    } else repair()
  }
  beginTask(scope, call, task, settle, (cause) => {
    const message = `Whether an interrupted call took effect could not be told: ${describeThrown(cause)}`
    context.reportError(new EngineError('tool_failed', message, { cause }))
    repair()
  })

  /** Not marked as unsent: it is for a person to say that the model is asked again. */
  function repair(): void {
    changeCall(context, entry, (part) =>
      changeMetadata(failedCall(part, UNKNOWN), {
        ended: 'interrupted',
        mayHaveRun: true,
        endedAt: context.now(),
      }),
    )
    context.markRepaired()
  }
}

function hasNotHappened(known: Verification | undefined): boolean {
  return known !== undefined && 'happened' in known && known.happened === false
}
