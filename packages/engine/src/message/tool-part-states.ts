import { given } from './given.ts'
import { assentMetadata, type AssentCallMetadata, type ToolCallPart } from './tool-part.ts'

type PartOf<STATE extends ToolCallPart['state']> = Extract<ToolCallPart, { state: STATE }>
type FieldsOf<STATE extends ToolCallPart['state']> = Omit<
  Extract<ToolCallPart, { type: 'dynamic-tool'; state: STATE }>,
  'type' | 'toolName' | 'toolCallId'
>

/** Merges into `toolMetadata.assent`, `undefined` takes away; all other metadata stays. */
export function changeMetadata(part: ToolCallPart, patch: AssentCallMetadata): ToolCallPart {
  const assent = given({ ...assentMetadata(part), ...patch })
  return { ...part, toolMetadata: { ...part.toolMetadata, assent } }
}

/** The call waits for a person. */
export function askedCall(
  part: ToolCallPart,
  approval: PartOf<'approval-requested'>['approval'],
): ToolCallPart {
  return inState(part, { state: 'approval-requested', input: part.input, approval })
}

/** The call was decided; everything that its request said is kept, but no reason of an earlier answer. */
export function answeredCall(
  part: ToolCallPart,
  answer: { id: string; approved: boolean; reason?: string | undefined; isAutomatic?: boolean },
): ToolCallPart {
  const { reason, ...rest } = answer
  const { reason: _former, ...asked } = part.approval ?? {}
  return inState(part, {
    state: 'approval-responded',
    input: part.input,
    approval: { ...asked, ...rest, ...given({ reason }) },
  })
}

/** A denied call has its result: the denial. */
export function deniedCall(part: ToolCallPart, endedAt: number): ToolCallPart {
  if (part.state !== 'approval-responded' || part.approval.approved) return part
  return changeMetadata(declinedCall(part), { endedAt })
}

/** The call that was asked about is not to run, whatever a person said about it. */
export function declinedCall(part: ToolCallPart, reason?: string): ToolCallPart {
  const { approval, input } = part
  if (!approval) return part
  return inState(part, {
    state: 'output-denied',
    input,
    approval: { ...approval, approved: false, ...given({ reason }) },
  })
}

/** The call has this output, or so far this much of it. */
export function succeededCall(
  part: ToolCallPart,
  output: unknown,
  isPreliminary: boolean,
): ToolCallPart {
  return inState(part, {
    state: 'output-available',
    input: part.input,
    output,
    ...(isPreliminary ? { preliminary: true } : {}),
    ...givenApproval(part),
  })
}

/** The call has a result that says what went wrong. */
export function failedCall(part: ToolCallPart, errorText: string): ToolCallPart {
  return inState(part, {
    state: 'output-error',
    // A call must have an input for providers to accept it in the history.
    input: part.input ?? {},
    errorText,
    ...givenApproval(part),
  })
}

/** A result keeps its approval only where one was given: the types allow no other. */
function givenApproval(part: ToolCallPart): Pick<FieldsOf<'output-error'>, 'approval'> {
  const approval = part.approval
  return approval?.approved === true ? { approval: { ...approval, approved: true } } : {}
}

/** The same call in another state: what belongs to the former state is left out. */
function inState<STATE extends ToolCallPart['state']>(
  part: ToolCallPart,
  fields: FieldsOf<STATE> & { state: STATE },
): ToolCallPart {
  const { type, toolCallId, title, toolMetadata, providerExecuted, callProviderMetadata } = part
  const toolName = part.type === 'dynamic-tool' ? part.toolName : undefined
  const optional = given({ toolName, title, toolMetadata, providerExecuted, callProviderMetadata })
  // `type` stays static or dynamic as it was, which TypeScript cannot follow through the spread.
  return { type, toolCallId, ...optional, ...fields } as ToolCallPart
}
