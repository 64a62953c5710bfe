import type { ChunkOf } from './chunk.ts'
import type { ReducerState } from './reducer-state.ts'
import { changeCall } from './tool-call-draft.ts'
import {
  assentMetadata,
  isDecidedRemotely,
  isRecord,
  type AssentCallMetadata,
  type LedgerStatus,
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
] satisfies LedgerStatus[]

/** Notes in its call what the ledger says of a decision. What fits no call that was approved is left. */
export function noteLedgerStatus(state: ReducerState, { data }: ChunkOf<`data-${string}`>): void {
  if (!isRecord(data) || !isStatus(data['status'])) return
  const { approvalId, status } = data
  const slot = state.approvals.get(String(approvalId))
  if (!slot || !isDecidedRemotely(slot.part) || !slot.part.approval?.approved) return
  const assent = { ...assentMetadata(slot.part), ledger: status, ...MEANING[status] }
  changeCall(state, slot, { toolMetadata: { ...slot.part.toolMetadata, assent } })
}

/** What a status says of the result that follows. */
const MEANING: Readonly<Partial<Record<LedgerStatus, AssentCallMetadata>>> = {
  unknown: { ended: 'interrupted', mayHaveRun: true },
  expired: { ended: 'cancelled' },
}

function isStatus(value: unknown): value is LedgerStatus {
  return STATUSES.includes(value)
}
