import { given } from './given.ts'
import { NO_LONGER, type CallChanges } from './tool-call-draft.ts'
import {
  assentMetadata,
  type AssentCallMetadata,
  type RefusedDecision,
  type ToolCallPart,
} from './tool-part.ts'

type ApprovalOf<STATE extends ToolCallPart['state']> = NonNullable<
  Extract<ToolCallPart, { state: STATE }>['approval']
>

/** What belongs to a state. The input stays unless another one is given. */
interface StateFields extends Pick<CallChanges, 'input' | 'output' | 'errorText' | 'preliminary'> {
  state: ToolCallPart['state']
  approval?: object | undefined
}

/** Merges into `toolMetadata.assent`, `undefined` takes away; all other metadata stays. */
export function changeMetadata(part: ToolCallPart, patch: AssentCallMetadata): ToolCallPart {
  const assent = given({ ...assentMetadata(part), ...patch })
  return { ...part, toolMetadata: { ...part.toolMetadata, assent } }
}

/** What a decision leaves beside a call, taken away. */
const UNDECIDED: AssentCallMetadata = {
  decidedAt: undefined,
  decidedBy: undefined,
  confirmationId: undefined,
  scheduledAt: undefined,
}

/** The call waits for a person, whatever was decided before. */
export function askedCall(
  part: ToolCallPart,
  approval: ApprovalOf<'approval-requested'>,
): ToolCallPart {
  return changeMetadata(inState(part, { state: 'approval-requested', approval }), UNDECIDED)
}

/** The call that was decided waits again, with the same request, or with another reason for it. */
export function reopenedCall(part: ToolCallPart, requestReason?: string): ToolCallPart {
  if (part.state !== 'approval-responded') return part
  const {
    approved: _approved,
    reason: _reason,
    isAutomatic: _isAutomatic,
    ...request
  } = part.approval
  return askedCall(part, { ...request, ...given({ requestReason }) })
}

/** The call waits again, as its server did not take the decision. */
export function refusedCall(part: ToolCallPart, refused: RefusedDecision): ToolCallPart {
  return changeMetadata(reopenedCall(part), { refused, ledger: undefined, overruled: undefined })
}

/** The call was decided; everything that its request said is kept, but no reason of an earlier answer. */
export function answeredCall(
  part: ToolCallPart,
  answer: { id?: string; approved: boolean; reason?: string | undefined; isAutomatic?: boolean },
): ToolCallPart {
  const approval = given({ ...part.approval, reason: undefined, ...answer })
  return inState(part, { state: 'approval-responded', approval })
}

/** A denied call has its result: the denial. */
export function deniedCall(part: ToolCallPart, endedAt: number): ToolCallPart {
  if (part.state !== 'approval-responded' || part.approval.approved) return part
  return changeMetadata(declinedCall(part), { endedAt })
}

/** The call that was asked about is not to run, whatever a person said about it. */
export function declinedCall(part: ToolCallPart, reason?: string): ToolCallPart {
  const { approval } = part
  if (!approval) return part
  return inState(part, {
    state: 'output-denied',
    approval: { ...approval, approved: false, ...given({ reason }) },
  })
}

/** The call had started, and that counts as if it had not: it is to run. */
export function unstartedCall(part: ToolCallPart): ToolCallPart {
  const { approval } = part
  const state = approval ? 'approval-responded' : 'input-available'
  const cleared = inState(part, { state, ...(approval && { approval }) })
  return changeMetadata(cleared, { startedAt: undefined, cut: undefined })
}

/** The call has this output, or so far this much of it. */
export function succeededCall(
  part: ToolCallPart,
  output: unknown,
  isPreliminary: boolean,
): ToolCallPart {
  const preliminary = isPreliminary || undefined
  return inState(part, { state: 'output-available', output, preliminary, ...givenYes(part) })
}

/** The call has a result that says what went wrong. */
export function failedCall(part: ToolCallPart, errorText: string): ToolCallPart {
  // A call must have an input for providers to accept it in the history.
  const { input = {} } = part
  return inState(part, { state: 'output-error', input, errorText, ...givenYes(part) })
}

/** A result keeps its approval only where one was given. */
function givenYes({ approval }: ToolCallPart): Pick<StateFields, 'approval'> {
  return approval?.approved ? { approval } : {}
}

/** The same call in another state: what belongs to the former state is left out. */
function inState(part: ToolCallPart, fields: StateFields): ToolCallPart {
  const former = { ...NO_LONGER, approval: undefined, resultProviderMetadata: undefined }
  // Each of the functions above gives what the type of its state asks for.
  return given({ ...part, ...former, ...fields }) as ToolCallPart
}
