export { createConversationServer } from './conversations/create-conversation-server.ts'
export type {
  ConnectedPage,
  ConversationServer,
  ConversationServerOptions,
} from './conversations/conversation-server.ts'
export { channelRelay } from './conversations/channel-relay.ts'
export type { ChannelEnd, ChannelListener, ChannelRelay } from './conversations/channel-relay.ts'
export { shareWithPages } from './conversations/share-with-pages.ts'
export type { ShareWithPagesOptions } from './conversations/share-with-pages.ts'
export type {
  ApprovalLedger,
  ClaimAnswer,
  LedgerEntry,
  LedgerKey,
  LedgerScope,
  Runner,
  RunOutcome,
  Superseded,
  UnaskedRun,
} from './chat/approval-ledger.ts'
export type { ApprovalSecret } from './chat/approval-secret.ts'
export type {
  AnswerEnd,
  Authorized,
  ChatContext,
  ChatHandlerOptions,
  ServerToolOptions,
  ToolCallEvent,
} from './chat/chat-options.ts'
export { clientAddress } from './chat/client-address.ts'
export { createChatHandler } from './chat/create-chat-handler.ts'
export type { ChatHandler } from './chat/create-chat-handler.ts'
export type { DrainOptions } from './chat/open-work.ts'
export { readDenialText } from './chat/denial-text.ts'
export type { AskedCall } from './chat/describe-requests.ts'
export { fieldText } from './chat/field-text.ts'
export { downloadFiles } from './chat/download-files.ts'
export type { DownloadFilesOptions, DownloadFunction } from './chat/download-files.ts'
export type { Resolve, ResolvedAddress } from './chat/public-address.ts'
export { ChatHandlerError } from './chat/handler-errors.ts'
export type { ChatHandlerErrorCode } from './chat/handler-errors.ts'
export { decisionRefusal, decisionRefusalText } from './chat/may-decide.ts'
export type {
  DecisionAsked,
  DecisionCheckOptions,
  DecisionRefusal,
  MayDecide,
} from './chat/may-decide.ts'
export { memoryLedger } from './chat/memory-ledger.ts'
export type { MemoryLedgerOptions } from './chat/memory-ledger.ts'
export { memoryStreams } from './chat/memory-streams.ts'
export type { MemoryStreamsOptions } from './chat/memory-streams.ts'
export { toNodeListener } from './chat/node-listener.ts'
export type { NodeListener } from './chat/node-listener.ts'
export { sqliteLedger } from './chat/sqlite-ledger.ts'
export type { SqliteLedgerOptions } from './chat/sqlite-ledger.ts'
export { tokenBucket } from './chat/rate-limit.ts'
export type { RateLimit, TokenBucketOptions } from './chat/rate-limit.ts'
export { readJson } from './chat/read-body.ts'
export type { BodyBounds, ReadBody } from './chat/read-body.ts'
export { errorResponse, RequestError } from './chat/request-error.ts'
export type {
  RefusedApproval,
  RequestErrorCode,
  RequestErrorOptions,
} from './chat/request-error.ts'
export type { KeptStream, StopCause, StreamStore, WrittenStream } from './chat/stream-store.ts'
export type { ContextOptions } from './prompt/context-options.ts'
export type { SummaryOptions, SummaryRequest, WriteSummary } from './prompt/summary-options.ts'
export { estimateTokens } from './prompt/estimate-tokens.ts'
export type { CountTokens } from './prompt/estimate-tokens.ts'
export type { PromptMessage } from './prompt/prompt.ts'
export { isAccepted } from './prompt/accepted-media.ts'
export type { AcceptedMedia } from './prompt/accepted-media.ts'
export { FilesRefusedError } from './prompt/files-refused.ts'
export type { RefusalReason } from './prompt/files-refused.ts'
export type { NamedFile } from './prompt/named-file.ts'
export { describeModelError } from './chat/error-text.ts'
export { modelError } from './chat/model-error.ts'
export type { ModelErrorDetails } from './chat/model-error.ts'
export type { FailureKind } from './chat/model-failure.ts'
export type { ModelSettings } from './chat/model-settings.ts'
export { modelTransport } from './chat/model-transport.ts'
export type { ModelRequest, ModelTransportOptions } from './chat/model-transport.ts'
export type { OfRequest } from './chat/resolve-for.ts'
export { DatabaseError } from '@assent/engine/storage'
export type { DatabaseErrorCode } from '@assent/engine/storage'
export { backupDatabase } from './sqlite/backup-database.ts'
export { leasesAhead } from './sqlite/leases-ahead.ts'
export type { GivenLease, LeasesAhead } from './sqlite/leases-ahead.ts'
export { openDatabase } from './sqlite/open-database.ts'
export type { AssentDatabase, OpenDatabaseOptions } from './sqlite/open-database.ts'
export type { FoundRow, Query } from './sqlite/query-thread.ts'
export type { Transaction, TransactionOptions } from './sqlite/transactions.ts'
export { sqliteConversations } from './sqlite/sqlite-conversations.ts'
export type { SqliteConversationsOptions } from './sqlite/sqlite-conversations.ts'
export { decodeName } from './sqlite/names.ts'
export { sqliteStorage } from './sqlite/sqlite-storage.ts'
export { auditLog } from './audit/sqlite-audit.ts'
export type { AuditLogOptions } from './audit/sqlite-audit.ts'
export type { AuditedRefusal, AuditLog, TaskChange, TaskPhase } from './audit/audit-log.ts'
export type { AuditTextOptions } from './audit/create-audit-log.ts'
export type { AuditFault, AuditVerification } from './audit/audit-chain.ts'
export type { AuditEntry, AuditHead, AuditKind, AuditPayload } from './audit/audit-entry.ts'
export type { AuditedCall } from './audit/audited-call.ts'
export type { AuditFilter, AuditPage, RunningCalls } from './audit/audit-filter.ts'
export type { CallName, CallOutcome, CallPhase } from './audit/call-row.ts'
export { verifyJsonl } from './audit/export-audit.ts'
export type { VerifyJsonlOptions } from './audit/export-audit.ts'
export type { CallChange } from './audit/record-call.ts'
export type { AuditContext, DecisionContext } from './audit/record-decision.ts'
export { eraseFromSqlite } from './erasing/erase-from-sqlite.ts'
export type { EraseFromSqliteOptions } from './erasing/erase-from-sqlite.ts'
export type { Erased, ErasureContext, ErasureSubject } from './erasing/subject.ts'
export type { VerifyOptions } from './audit/verify-audit.ts'
export { auditStorage } from './audit/audit-storage.ts'
export { auditTools } from './audit/audit-tools.ts'
export { UnnotedCallError } from './audit/unnoted-call.ts'
export type { AuditToolsOptions, StartedCall } from './audit/audit-tools.ts'
export type { AuditStorageOptions } from './audit/follow-conversation.ts'
