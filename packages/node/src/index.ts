export { describeModelError } from './chat/error-text.ts'
export { modelError } from './chat/model-error.ts'
export type { ModelErrorDetails } from './chat/model-error.ts'
export type { FailureKind } from './chat/model-failure.ts'
export type { ModelSettings } from './chat/model-settings.ts'
export { modelTransport } from './chat/model-transport.ts'
export type { ModelRequest, ModelTransportOptions, OfRequest } from './chat/model-transport.ts'
export { createWorkspaceTools } from './workspace/create-workspace-tools.ts'
export type {
  AttachingToolSet,
  WorkspaceTools,
  WorkspaceToolSet,
  WorkspaceToolsOptions,
} from './workspace/create-workspace-tools.ts'
export type { Attach, AttachedFile, AttachInput } from './workspace/attach.ts'
export type { BashInput } from './workspace/bash.ts'
export type { EditInput } from './workspace/edit.ts'
export type { GlobInput } from './workspace/glob.ts'
export type { GrepInput } from './workspace/grep.ts'
export type { ReadInput } from './workspace/read.ts'
export type { ReadToolOutputInput } from './workspace/read-tool-output.ts'
export type { ApproveCall } from './workspace/to-ai-tool.ts'
export type { WriteInput } from './workspace/write.ts'
export type { WorkspaceRoot } from './workspace/roots.ts'
export { WorkspaceRefusal } from './workspace/refusal.ts'
export type { Refusal, RefusalCode } from './workspace/refusal.ts'
export { isSensitivePath } from './sensitive-paths.ts'
export { DatabaseError } from './sqlite/database-error.ts'
export type { DatabaseErrorCode } from './sqlite/database-error.ts'
export { openDatabase } from './sqlite/open-database.ts'
export type {
  AssentDatabase,
  OpenDatabaseOptions,
  TransactionOptions,
} from './sqlite/open-database.ts'
export { holdConversation } from './sqlite/conversation-lease.ts'
export type { ConversationHold, HoldOptions } from './sqlite/conversation-lease.ts'
export { sqliteStorage } from './sqlite/sqlite-storage.ts'
