import type { EnginePlugin, EngineStorage, MessageEngine, TurnNotice } from '@assent/engine'
import type { SharedConversations } from '@assent/engine/storage'
import type { UIMessage } from 'ai'
import type { Inbox, Task, TaskDeath, TaskError } from './inbox.ts'
import type { MayDecideTask } from './may-decide.ts'
import type { Outages } from './outages.ts'
import type { Replies } from './replies.ts'
import type { Schedule } from './schedule.ts'
import type { TaskText } from './tell-text.ts'
import type { TaskAudit } from './task-audit.ts'

/** What the engine of a task is made from. */
export interface TaskEngineContext {
  readonly task: Task
  /** The id that the engine must have. */
  readonly conversationId: string
  /** The store that the engine must have: it refuses writes once the task is another worker's. */
  readonly storage: EngineStorage
  /** What the engine must have among its plugins, before all others. */
  readonly plugins: readonly EnginePlugin[]
  /** For the engine's option of that name: the worker tells of it. */
  readonly onError: (error: unknown) => void
}

/** Makes the engine that works on a task; it is disposed when the task is parked or over. */
export type CreateTaskEngine = (
  context: TaskEngineContext,
) => MessageEngine | PromiseLike<MessageEngine>

/** An answer that is to go out. */
export interface TaskReply {
  readonly task: Task
  /** All that the model said in the turn; empty when it said nothing. */
  readonly text: string
  /** The last message of the turn; none when the model wrote none. */
  readonly message: UIMessage | undefined
  /** Why the turn ended without a whole answer. */
  readonly notice: TurnNotice | undefined
  /** An earlier attempt may have sent it already: mark it, so that nobody takes it for another answer. */
  readonly mayBeRepeated: boolean
  /** Milliseconds since it was to go out first: its channel did not take it. 0 the first time. */
  readonly waitedMs: number
  /** Aborts when nobody waits for it any more. */
  readonly abortSignal: AbortSignal
}

/** A task that waits for a model that cannot be reached. */
export interface TaskHold {
  /** `model_unreachable`. */
  readonly code: string
  /** For the person who waits. */
  readonly message: string
  /** When it is tried again, in milliseconds since the epoch. */
  readonly retryAt: number
}

/** What the attempts of a worker share. */
export interface WorkerParts {
  readonly name: string
  readonly inbox: Inbox
  readonly conversations: SharedConversations
  readonly replies: Replies
  readonly audit: TaskAudit
  readonly createEngine: CreateTaskEngine
  readonly onReply: ((reply: TaskReply) => void | PromiseLike<void>) | undefined
  readonly onText: ((said: TaskText) => void) | undefined
  readonly onDead: ((task: Task, error: TaskDeath) => void | PromiseLike<void>) | undefined
  readonly onHeld: ((task: Task, hold: TaskHold) => void | PromiseLike<void>) | undefined
  readonly onUndelivered: ((task: Task, error: TaskError) => void | PromiseLike<void>) | undefined
  readonly mayDecide: MayDecideTask | undefined
  /** Something went wrong beside the tasks themselves. Never throws. */
  readonly report: (error: unknown) => void
  readonly random: () => number
  readonly schedule: Schedule
  readonly leaseMs: number
  readonly replyTimeoutMs: number
  readonly retryBaseMs: number
  readonly holdForMs: number
  readonly outages: Outages
  readonly deliveryMaxAgeMs: number
}
