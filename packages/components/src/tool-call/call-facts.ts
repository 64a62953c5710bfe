import {
  approvalExpiresAt,
  assentMetadata,
  isAwaitingApproval,
  isElsewhere,
  toolCallStatus,
  toolNameOf,
} from '@assent/engine'
import type { ToolCallPart } from '@assent/engine'
import type { AssentConfig } from '../config/config.ts'

/** Beyond this there are no dates. */
const LAST_MOMENT = 8.64e15

/** Whether another input can be approved in place of this call's. */
export function canEdit(part: ToolCallPart): boolean {
  return isAwaitingApproval(part) && !isElsewhere(part) && part.approval?.signature === undefined
}

/** Whether a call can be stopped here: it runs, or is about to. */
export function canCancel(part: ToolCallPart): boolean {
  const status = toolCallStatus(part)
  return (status === 'executing' || status === 'scheduled') && !isElsewhere(part)
}

/** Whether a call was approved and did not run, as that could not be recorded. */
export function hasNoRecord(part: ToolCallPart): boolean {
  return isAwaitingApproval(part) && assentMetadata(part).recordFailed === true
}

/** Whether further calls can be allowed with this one. */
export function offersAlways(part: ToolCallPart, config: AssentConfig): boolean {
  const { always = true } = config.tools.get(toolNameOf(part)) ?? {}
  return config.always && always && !hasNoRecord(part)
}

/** Until when the request of a call can be approved, as a time that there is. */
export function expiryOf(part: ToolCallPart): number | undefined {
  const at = approvalExpiresAt(part)
  return at !== undefined && Math.abs(at) <= LAST_MOMENT ? at : undefined
}
