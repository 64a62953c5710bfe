export { createAdminHandler } from './admin/create-admin-handler.ts'
export type { AdminHandlerOptions } from './admin/create-admin-handler.ts'
export type { Changes } from './admin/changes.ts'
export { createWorker } from './create-worker.ts'
export type { Worker, WorkerOptions } from './create-worker.ts'
export { healthRecords } from './health-records.ts'
export type { ChannelHealth, HealthRecords, NotedHealth } from './health-records.ts'
export type {
  Claim,
  ClaimedState,
  Inbox,
  NewTask,
  Task,
  TaskDeath,
  TaskError,
  TaskFilter,
  TaskLease,
  TaskNews,
  TaskState,
} from './inbox.ts'
export type { MayDecideTask, TaskDecisionAsked } from './may-decide.ts'
export { modelEngine } from './model-engine.ts'
export type { ModelEngineOptions } from './model-engine.ts'
export type {
  Delivery,
  FailedReply,
  FoundReply,
  RecordedReply,
  Replies,
  ReplyClaim,
  UndeliveredReply,
} from './replies.ts'
export type { RanCall } from './ran-calls.ts'
export { ReplyError } from './reply-error.ts'
export type { ReplyErrorOptions } from './reply-error.ts'
export { retryDelayMs } from './retry-delay.ts'
export type { RetryDelayOptions } from './retry-delay.ts'
export type { Schedule } from './schedule.ts'
export { sqliteInbox } from './sqlite-inbox.ts'
export type { SqliteInbox, SqliteInboxOptions } from './sqlite-inbox.ts'
export { sqliteStores } from './sqlite-stores.ts'
export type { SqliteStores } from './sqlite-stores.ts'
export type { WorkerStores } from './stores.ts'
export { standingPermissions } from './standing-permissions.ts'
export type { Revocation, StandingPermission, StandingPermissions } from './standing-permissions.ts'
export type { TaskAnswer, TaskDecision, TaskOutput } from './task-answer.ts'
export { readTaskCall, readTaskWaiting } from './task-waiting.ts'
export type { RefusedAnswer, TaskCall, TaskWaiting } from './task-waiting.ts'
export type { TaskText } from './tell-text.ts'
export { WorkerError } from './worker-error.ts'
export type { WorkerErrorCode } from './worker-error.ts'
export type { CreateTaskEngine, TaskEngineContext, TaskHold, TaskReply } from './worker-parts.ts'
export { workerSettings } from './worker-settings.ts'
export type { WorkerSettings } from './worker-settings.ts'
