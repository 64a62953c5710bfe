// From the bottom up, as the files build on each other: in that order a bundle packs best.
export {
  approvalExpiresAt,
  assentMetadata,
  hasLedger,
  isAwaitingApproval,
  isElsewhere,
  isExactOnly,
  isSettled,
  isToolCallPart,
  isToolRisk,
  isWaiting,
  previewOf,
  riskOf,
  toolCallStatus,
  toolNameOf,
} from './message/tool-part.ts'
export type {
  AssentCallMetadata,
  LateOutcome,
  LedgerStatus,
  RefusedDecision,
  MessagePart,
  ToolCallPart,
  ToolCallRef,
  ToolCallStatus,
  ToolRisk,
} from './message/tool-part.ts'
export { exactOnlyByOptions, riskByOptions } from './approval/call-guards.ts'
export type { CallGuards } from './approval/call-guards.ts'
export { findToolCall } from './message/tool-calls.ts'
export type { ToolCallEntry } from './message/tool-calls.ts'
export type { PreviewedFile, PreviewValue, ToolPreview } from './message/tool-preview.ts'
export { LEDGER_CHUNK } from './message/apply-decision.ts'
export type { LedgerAnswer } from './message/apply-decision.ts'
export { createMessageReducer } from './message/message-reducer.ts'
export type { MessageReducer, MessageReducerOptions } from './message/message-reducer.ts'
export type { MessageInput } from './message/message-input.ts'
export { EngineError, isEngineError } from './errors.ts'
export type { EngineErrorCode, EngineErrorOptions } from './errors.ts'
export { randomId } from './random-id.ts'
export { isDecision } from './confirmation.ts'
export type {
  ApprovalScope,
  CallRecord,
  ConfirmationOutcome,
  ConfirmationRecord,
  FieldPattern,
  FieldPatterns,
  PolicyEvent,
  ToolCallConfirmation,
} from './confirmation.ts'
export { evaluateApproval, toolRiskOf } from './approval/evaluate-approval.ts'
export type {
  ApprovalCall,
  ApprovalRules,
  ApprovalSource,
  ApprovalVerdict,
  DefaultApproval,
} from './approval/evaluate-approval.ts'
export { strictApproval, toApprovalStatus } from './approval/strict-approval.ts'
export type { StrictApproval, StrictApprovalOptions } from './approval/strict-approval.ts'
export { misnamedTools } from './approval/misnamed-tools.ts'
export type { NamedTools } from './approval/misnamed-tools.ts'
export { deriveApprovalPolicies } from './plugins/tools/policies.ts'
export type {
  DeriveApprovalPoliciesOptions,
  ToolApprovalPolicy,
  ToolApprovalPolicyStatus,
} from './plugins/tools/policies.ts'
export { explainApproval } from './plugins/tools/explain-approval.ts'
export type {
  ApprovalExplanation,
  ExplainApprovalOptions,
} from './plugins/tools/explain-approval.ts'
export type { RuleOptions } from './plugins/tools/decide.ts'
export { canonicalJson } from './plugins/tools/fingerprint.ts'
export { fingerprintOfCall } from './plugins/tools/turn-calls.ts'
export { decidableMessageIds, toWaitingCall, waitingCalls } from './plugins/tools/waiting-calls.ts'
export type { WaitingCall } from './plugins/tools/waiting-calls.ts'
export { defineTools } from './plugins/tools/define-tools.ts'
export type { DefinedTools, ToolDefinition } from './plugins/tools/define-tools.ts'
export { toolPlugin } from './plugins/tools/tool-plugin.ts'
export type { ToolPlugin } from './plugins/tools/tool-plugin.ts'
export type {
  CallToolContext,
  Durability,
  Gate,
  OnInterrupted,
  Redact,
  RepeatLimits,
  RedactContext,
  ToolCall,
  ToolCallContext,
  ToolCallEnd,
  ToolOptions,
  ToolOptionsByName,
  ToolPluginOptions,
  Verification,
} from './plugins/tools/options.ts'
export type {
  CancelToolCallPayload,
  ReadInputSchemaPayload,
  ReadInputSchemaResult,
  ReadToolOutputPayload,
  ReadToolOutputResult,
  ResumePoliciesPayload,
  ResumePoliciesResult,
  ResumeToolCallPayload,
  ResumeToolCallResult,
  ResumeToolCallsResult,
  RevokePolicyPayload,
  RevokePolicyResult,
  SubmitToolOutputPayload,
  ToolCallTarget,
} from './plugins/tools/commands.ts'
export type { InputIssue } from './plugins/tools/input-schema.ts'
export type { CommandResult, PluginCommandMap, RunPluginCommand } from './commands.ts'
export type {
  AfterRequestContext,
  AnonymousPlugin,
  BeforeRequestContext,
  CommandContext,
  EnginePlugin,
  ErrorContext,
  NamedPlugin,
  PluginCommand,
  PluginContext,
  PluginHooks,
  SettleContext,
  TurnEndContext,
} from './plugin.ts'
export type {
  ChunkStream,
  MessageTransport,
  RequestExtras,
  TurnRequestOptions,
} from './transport/transport.ts'
export { finishMetadata, isPausedTurn } from './finish-metadata.ts'
export type { FinishMetadata } from './finish-metadata.ts'
export { requestName } from './request-name.ts'
export { httpTransport } from './transport/http-transport.ts'
export type { HttpTransportOptions } from './transport/http-transport.ts'
export type { HttpRequestOptions, Resolvable } from './transport/http-request.ts'
export type { RetryContext, RetryOptions } from './transport/retry.ts'
export type { Draft, DraftSubject } from './drafts.ts'
export type { ResendOptions } from './delivery.ts'
export type {
  ResponseEnd,
  EarlierMessages,
  EngineState,
  PauseReason,
  ProcessingState,
  QueuedMessage,
  RequestState,
  Resending,
  StepMark,
  TurnNotice,
  TurnOutcome,
  TurnState,
  TurnUsage,
  WaitingFor,
  WaitSubject,
} from './state.ts'
export type {
  EngineStorage,
  Persistence,
  PersistenceHost,
  RestoredConversation,
  SaveOptions,
  SaveResult,
} from './persistence.ts'
export type {
  MessageEngine,
  MessageEngineOptions,
  MessagesUpdate,
  WhenBusy,
} from './message-engine.ts'
export { createMessageEngine } from './engine.ts'
