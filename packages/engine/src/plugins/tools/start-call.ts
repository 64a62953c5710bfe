import type { ToolSet, UIMessage } from 'ai'
import { refOf, type ToolCallEntry } from '../../message/tool-calls.ts'
import { askedCall, changeMetadata } from '../../message/tool-part-states.ts'
import { assentMetadata, toLocalApprovalId, toolNameOf } from '../../message/tool-part.ts'
import { examineCall, failCall, isRefused, standsAs } from './check-call.ts'
import {
  beginTask,
  isUnderWay,
  type CallTask,
  type OpenCall,
  type SettleScope,
} from './open-call.ts'
import { optionsOf } from './options.ts'
import type { CallReading } from './read-call.ts'
import { runCall } from './run-call.ts'
import { callNow, changeCall } from './turn-calls.ts'

/**
 * The one place where a call is started. It is claimed at once: the part says so, and nothing else can
 * be begun for it here. The claim is stored: of all engines that share the store one makes it, as
 * nobody else has written since it was read, and a crash cannot make the call run again. Then everything is compared once more, with nothing awaited
 * between that and the tool: the part, its fingerprint, the decision, and the rules if anybody was
 * waited for. Whatever changed meanwhile counts, and the tool does not run.
 */
export function startCall<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: SettleScope<TOOLS, MESSAGE>,
  { part, ...ref }: ToolCallEntry,
  call: OpenCall,
): void {
  const { context } = scope
  const task: CallTask = { kind: 'starting', holdsSlot: true }
  const { checked } = call
  call.isQueued = false
  call.checked = undefined
  const start = async () => {
    const startedAt = context.now()
    changeCall(context, ref, (now) => changeMetadata(now, { startedAt }))
    const claimed = callNow(context, ref)
    if (!claimed) return
    const claiming = context.save()
    const claim = claiming ? await claiming : 'stored'
    // Taken by another page or process: the turn has ended here, and what is stored is shown.
    if (!isUnderWay(context, call, task) || claim === 'taken') return
    if (claim === 'failed' && isRecordNeeded(scope, claimed)) {
      return askToStartAgain(scope, claimed)
    }
    // Asked just now, unless somebody was waited for, or the schema reads it otherwise by now.
    const isOld = ({ words }: CallReading) => words === undefined || words !== checked?.words
    const verdict = await examineCall(
      scope,
      claimed,
      call,
      (reading) => claiming !== undefined || isOld(reading),
    )
    const observed = await verdict.reading.copy()
    // From here to the tool nothing is awaited.
    const now = callNow(context, ref)
    if (!isUnderWay(context, call, task) || !now) return
    if (!standsAs(claimed.part, now.part)) return
    if (isRefused(scope, now, verdict)) return
    runCall(scope, now, call, task, verdict.reading, observed)
  }
  beginTask(scope, call, task, start, (error) => failCall(scope, { ...ref, part }, error))
}

/** Whether a call must not run when it cannot be stored that it starts. */
function isRecordNeeded<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  { options }: SettleScope<TOOLS, MESSAGE>,
  { part }: ToolCallEntry,
): boolean {
  const { durable = options.durable } = optionsOf(options, toolNameOf(part))
  const { decidedBy, withoutRecord } = assentMetadata(part)
  if (withoutRecord) return false
  // What a person, a permission or a rule stands for must not happen twice unseen.
  return durable === undefined ? decidedBy !== undefined : durable !== 'best-effort'
}

/** The call did not start after all: a person must say what now. */
function askToStartAgain<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  { context }: SettleScope<TOOLS, MESSAGE>,
  entry: ToolCallEntry,
): void {
  const requestReason = 'This couldn’t be recorded before it runs, so it didn’t run.'
  const request = { id: toLocalApprovalId(context.generateId()), requestReason }
  changeCall(context, refOf(entry), (part) =>
    changeMetadata(askedCall(part, request), {
      startedAt: undefined,
      checkFailed: true,
      recordFailed: true,
    }),
  )
}
