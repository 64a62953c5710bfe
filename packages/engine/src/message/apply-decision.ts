import type { ChunkOf } from './chunk.ts'
import type { ReducerState } from './reducer-state.ts'
import { changeCall } from './tool-call-draft.ts'
import {
  assentMetadata,
  isDecidedRemotely,
  isRecord,
  type AssentCallMetadata,
  type LedgerStatus,
  type ToolCallPart,
} from './tool-part.ts'

/**
 * The type of the chunk by which the ledger of a server answers a decision: transient, ahead of the
 * call's result, with a {@link LedgerAnswer} as its data.
 */
export const LEDGER_CHUNK = 'data-assent-decision'

/** What the ledger of a server says of a decision that it was sent. */
export interface LedgerAnswer {
  readonly approvalId: string
  readonly status: LedgerStatus
}

const STATUSES: readonly unknown[] = [
  'running',
  'ran',
  'unknown',
  'expired',
  'denied',
] satisfies LedgerStatus[]

/**
 * Notes in its call what the ledger says of a decision. What fits no call that was decided is left. A
 * decision that another one has come before stays the one that is sent, until the call has its result.
 */
export function noteLedgerStatus(state: ReducerState, { data }: ChunkOf<`data-${string}`>): void {
  if (!isRecord(data) || !isStatus(data['status'])) return
  const { approvalId, status } = data
  const slot = state.approvals.get(String(approvalId))
  if (!slot || !isDecidedRemotely(slot.part)) return
  const approved = slot.part.approval?.approved === true
  const overruled = approved ? 'yes' : 'no'
  const assent = {
    ...assentMetadata(slot.part),
    ledger: status,
    ...MEANING[status],
    ...(approved === (status === 'denied') && { overruled }),
  } satisfies AssentCallMetadata
  changeCall(state, slot, { toolMetadata: { ...slot.part.toolMetadata, assent } })
}

/** What a status says of the result that follows. */
const MEANING: Readonly<Partial<Record<LedgerStatus, AssentCallMetadata>>> = {
  unknown: { ended: 'interrupted', mayHaveRun: true },
  expired: { ended: 'cancelled' },
}

/** The approval of a call that has its result: the decision that stands, and was not made here. */
export function standingApproval(part: ToolCallPart): Pick<ToolCallPart, 'approval'> {
  const { overruled } = assentMetadata(part)
  if (!part.approval || !overruled) return {}
  const { reason: _reason, ...approval } = part.approval
  return { approval: { ...approval, approved: overruled === 'no' } }
}

function isStatus(value: unknown): value is LedgerStatus {
  return STATUSES.includes(value)
}
