import type { ToolSet, UIMessage } from 'ai'
import { describeThrown } from '../../errors.ts'
import { given } from '../../message/given.ts'
import { refOf, type ToolCallEntry } from '../../message/tool-calls.ts'
import {
  answeredCall,
  askedCall,
  changeMetadata,
  declinedCall,
  failedCall,
  unstartedCall,
} from '../../message/tool-part-states.ts'
import {
  assentMetadata,
  isSettled,
  toLocalApprovalId,
  toolCallStatus,
  toolNameOf,
  type AssentCallMetadata,
  type ToolCallPart,
} from '../../message/tool-part.ts'
import { applyPolicies, whyNotStanding } from './apply-policies.ts'
import { decideByRules, type CallDecision } from './decide.ts'
import { describeCall } from './describe-call.ts'
import { hasNoExecutor } from './options.ts'
import { beginTask, isUnderWay, openCallOf, type OpenCall, type SettleScope } from './open-call.ts'
import { readCall, type CallReading } from './read-call.ts'
import { redactErrorText } from './call-result.ts'
import { callNow, changeCall, isUndecided, settleCall } from './turn-calls.ts'

/** What the rules and the decision that stands say of a call. */
export interface Verdict extends CallDecision {
  readonly reading: CallReading
}

/**
 * Asks the rules about a call, then writes what they say: one fact, from which the loop goes on.
 * What goes wrong on the way is the result of the call.
 *
 * @param holdsSlot keeps the slot for it that it waited for
 */
export function checkCall<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: SettleScope<TOOLS, MESSAGE>,
  entry: ToolCallEntry,
  call: OpenCall,
  holdsSlot = false,
): void {
  const { context } = scope
  const task = { kind: 'checking', holdsSlot } as const
  const check = async () => {
    const verdict = await examineCall(scope, entry, call, () => true)
    const now = callNow(context, entry)
    // What a person did meanwhile counts more; the loop looks again.
    if (!isUnderWay(context, call, task) || !now || !standsAs(entry.part, now.part)) return
    if (isRefused(scope, now, verdict)) return
    schedule(scope, now, verdict)
    call.checked = verdict.reading
  }
  beginTask(scope, call, task, check, (error) => failCall(scope, entry, error))
}

/**
 * Reads a call and asks the rules about it. Throws for a call that cannot run.
 */
export async function examineCall<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: SettleScope<TOOLS, MESSAGE>,
  entry: ToolCallEntry,
  call: OpenCall,
  isRuleAsked: (reading: CallReading) => boolean,
): Promise<Verdict> {
  const { options, context } = scope
  const { part } = entry
  const reading = await readCall(scope, entry)
  if (isUndecided(part)) await describeCall(scope, entry, call, reading.copy)
  const asked = { ...refOf(entry), toolName: toolNameOf(part), input: undefined }
  const decision: CallDecision = isRuleAsked(reading)
    ? await decideByRules(asked, reading.copy, options, context, part)
    : { type: 'run', by: 'confirmation' }
  // A rule that has tried the call may know that it does more than its words say.
  const now = decision.type === 'ask' ? callNow(context, entry) : undefined
  if (now && isUndecided(now.part)) await describeCall(scope, now, call, reading.copy, true)
  return { ...decision, reading }
}

const STANDING = [
  'decidedBy',
  'confirmationId',
  'scheduledAt',
  'startedAt',
  'submitted',
] as const satisfies (keyof AssentCallMetadata)[]

/** Whether a call stands as it did: only what describes it may have come. */
export function standsAs(before: ToolCallPart, now: ToolCallPart): boolean {
  const [was, is] = [assentMetadata(before), assentMetadata(now)]
  return (
    before.state === now.state &&
    before.input === now.input &&
    before.approval === now.approval &&
    // Also a time that a broken clock told: it is the same one.
    STANDING.every((field) => Object.is(was[field], is[field]))
  )
}

/**
 * Whether a call must not start now, by the rules or because its yes does not stand for it any more;
 * if so, writes that.
 */
export function isRefused<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: SettleScope<TOOLS, MESSAGE>,
  entry: ToolCallEntry,
  verdict: Verdict,
): boolean {
  const { type, reading } = verdict
  if (type !== 'run') {
    refuseStart(scope, entry, verdict)
    return true
  }
  const reason = whyNotStanding(scope, entry, reading)
  if (reason) refuseStart(scope, entry, { type: 'ask', by: 'confirmation', reason, reading })
  return reason !== undefined
}

/** Writes why a call does not start: it is denied, or a person is asked. */
function refuseStart<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: SettleScope<TOOLS, MESSAGE>,
  entry: ToolCallEntry,
  { type, reason, isFailed, reading }: Verdict,
): void {
  const { options, context, runtime } = scope
  if (type === 'deny') {
    return settleCall(context, entry, (part) =>
      declinedCall(answeredByRule(scope, unstarted(part), false, reason)),
    )
  }
  const request = {
    id: toLocalApprovalId(context.generateId()),
    ...given({ requestReason: reason }),
  }
  // As it is asked about from now on.
  openCallOf(runtime, entry).seenAs = reading.fingerprint
  changeCall(context, entry, (part) =>
    changeMetadata(askedCall(unstarted(part), request), {
      awaitsOutput: hasNoExecutor(options, toolNameOf(part)) || undefined,
      checkFailed: isFailed,
      readAs: reading.readAs,
    }),
  )
  applyPolicies(scope)
}

/** Gives a call that did not run an error as its result. */
export function failCall<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: SettleScope<TOOLS, MESSAGE>,
  entry: ToolCallEntry,
  error: unknown,
): void {
  const { context } = scope
  settleCall(context, entry, (part) =>
    isSettled(part)
      ? part
      : failedCall(
          unstarted(part),
          redactErrorText(scope, toolNameOf(part), describeThrown(error)),
        ),
  )
}

function unstarted(part: ToolCallPart): ToolCallPart {
  return toolCallStatus(part) === 'executing' ? unstartedCall(part) : part
}

/** Notes that a call may start, unless that is known. */
function schedule<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: SettleScope<TOOLS, MESSAGE>,
  entry: ToolCallEntry,
  { by, reason }: Verdict,
): void {
  const { options, context } = scope
  if (assentMetadata(entry.part).scheduledAt !== undefined) return
  changeCall(context, entry, (part) =>
    changeMetadata(by === 'rule' ? answeredByRule(scope, part, true, reason) : part, {
      scheduledAt: context.now(),
      awaitsOutput: hasNoExecutor(options, toolNameOf(part)) || undefined,
    }),
  )
}

function answeredByRule<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  { context }: SettleScope<TOOLS, MESSAGE>,
  part: ToolCallPart,
  approved: boolean,
  reason: string | undefined,
): ToolCallPart {
  const { id = toLocalApprovalId(context.generateId()) } = part.approval ?? {}
  const answered = answeredCall(part, { id, approved, reason, isAutomatic: true })
  return changeMetadata(answered, {
    decidedAt: context.now(),
    decidedBy: 'rule',
    confirmationId: undefined,
  })
}
