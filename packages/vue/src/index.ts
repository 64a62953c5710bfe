export { injectMessage, messageKey, provideMessage } from './message-context.ts'
export { useMessage } from './use-message.ts'
export type { UseMessageReturn } from './use-message.ts'
export type {
  ExistingEngineOptions,
  NewEngineOptions,
  UseMessageOptions,
} from './use-message-options.ts'
export type { CallDecisions, ScopeOf, ShownCall } from './call-decisions.ts'
export type { MessageWithTools } from './message-tools.ts'
export { useApprovals } from './use-approvals.ts'
export type { ApprovalDecision, UseApprovalsOptions, UseApprovalsReturn } from './use-approvals.ts'
export type { PolicyOrigin, StandingPolicy } from './standing-policies.ts'
export { isApprovable } from './waiting-calls.ts'
export type { WaitingCallEntry, WaitingCallPart } from './waiting-calls.ts'
