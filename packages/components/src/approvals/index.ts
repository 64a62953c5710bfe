/** Approvals beside the conversation: all that waits, what is allowed for good, what was decided. */
export { provideAskBoard as provideApprovalBoard } from '../context/ask-board.ts'
export { useApprovalBatch } from './use-approval-batch.ts'
export type { ApprovalBatch } from './use-approval-batch.ts'
export type { LeftOut } from './batch.ts'
export type { AsApprovalTrayEmits, AsApprovalTrayProps } from './tray-types.ts'
export { AsApprovalTray, AsAuditTrail, AsPolicyList } from './panels.ts'
export type { AsPolicyListProps, AsPolicyListSlots } from './policy-types.ts'
export type { AsAuditTrailProps, TrailEntry, AuditOutcome } from './audit-types.ts'
