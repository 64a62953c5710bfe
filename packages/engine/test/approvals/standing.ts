import { assentMetadata, type ToolCallPart } from '../../src/message/tool-part.ts'
import type { Call, Policy } from '../../src/testing/decision-model.ts'
import type { Invariant } from './invariants.ts'
import { TOOLS } from './plan.ts'
import type { Stage } from './stage.ts'

/** Whether a call that has no result of its own says that it may have taken effect. */
export function saysUnknown(part: ToolCallPart): boolean {
  const { ended = '', mayHaveRun } = assentMetadata(part)
  return (
    part.state === 'output-error' && ['interrupted', 'cancelled'].includes(ended) && !!mayHaveRun
  )
}

/** Why a policy would cover nothing more. */
export function endOf({ isRevoked, until, suspensions }: Policy, now: number): Invariant {
  if (isRevoked) return 'I7 what was revoked covers nothing that has not started'
  if (suspensions.size > 0) return 'I7 what was suspended covers nothing that has not started'
  if (now >= until) return 'I7 what has expired covers nothing that has not started'
  return 'I7 what is void, used up or meant elsewhere covers nothing'
}

/** Whether a call was let wait for its output. */
export function awaitsOutput({ model }: Stage, call: Call): boolean {
  const isAsk = TOOLS.get(call.tool)?.runs === 'person'
  // It never starts, so nothing but what ends a policy asks about it again.
  const isLet = model.verdict(call).says === 'run' || call.policy?.isRevoked === false
  return isAsk && isLet && !call.isOver
}
