export { approvalConformance, approvalFaults } from './approval-conformance.ts'
export type {
  ApprovalConformanceOptions,
  ApprovalLevel,
  ApprovalTest,
} from './approval-conformance.ts'
export type { ApprovalInvariant } from './approval-conformance/invariants.ts'
export type {
  ApprovalPage,
  OpenPage,
  PageDecision,
  PageSetup,
  TestedEngine,
} from './approval-conformance/page-site.ts'
export type {
  ApprovalHandler,
  ApprovalRoute,
  OpenHandler,
  OpenRoute,
  RouteSetup,
} from './approval-conformance/server-site.ts'
export type { ApprovalSetup, KitInput, KitRule } from './approval-conformance/world.ts'
export {
  answer,
  approvalRequestChunks,
  callTools,
  reasoningChunks,
  responseChunks,
  stepChunks,
  textChunks,
  toolCallChunks,
  toolErrorChunks,
  toolOutputChunks,
} from './chunks.ts'
export type { ResponseOptions, StreamedToolCall } from './chunks.ts'
export { conversationsConformance } from './conversations-conformance.ts'
export type {
  ConversationsTest,
  TestedConversations,
} from './conversations-conformance/conversations-test.ts'
export type { HeldStream } from './held-stream.ts'
export { scriptedTransport } from './scripted-transport.ts'
export type {
  RecordedReconnect,
  RecordedRequest,
  ScriptedAnswer,
  ScriptedTransport,
  ScriptedTransportOptions,
} from './scripted-transport.ts'
export { storageConformance } from './storage-conformance.ts'
export type { StorageTest, TestedStorage } from './storage-conformance/storage-test.ts'
export { untilState } from './until-state.ts'
