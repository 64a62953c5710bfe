import type { JSONValue } from 'ai'
import type { RanCall } from './ran-calls.ts'

/**
 * Where a task is:
 * - `queued` waits to be claimed, also for its next attempt (then `attempts` is above zero)
 * - `in_progress` claimed; `model_round` a request to the model runs; `tool_round` its tools run
 * - `parked` waits for a person: no lease, no timer, no attempt is used up
 * - `reply_sent` its reply is out; what is left is to note it
 * - `done` over
 * - `dead` its attempts are used up, or another one would be in vain: it waits to be replayed or
 *   discarded
 * - `failed` a dead one that was discarded
 */
export type TaskState =
  | 'queued'
  | 'in_progress'
  | 'model_round'
  | 'tool_round'
  | 'parked'
  | 'reply_sent'
  | 'done'
  | 'dead'
  | 'failed'

/** The states of a task that a worker has claimed. */
export type ClaimedState = 'in_progress' | 'model_round' | 'tool_round' | 'reply_sent'

/** A task to add. */
export interface NewTask {
  /** Default: a generated one. One that is taken already adds nothing: the task it names is given back. */
  readonly id?: string
  /** Tasks of one conversation are worked off one after the other, in the order they were added. */
  readonly conversationId: string
  /** What the person said: a text, or the parts of a `UIMessage`. */
  readonly input: JSONValue
  /** Where the reply goes, as the channel that added it wants to read it again. */
  readonly replyTo?: JSONValue
  /** Milliseconds since the epoch before which it is not begun. */
  readonly dueAt?: number
  /** Default: the inbox's, 3. */
  readonly maxAttempts?: number
}

/** Why an attempt failed; the message is fit to be shown. */
export interface TaskError {
  readonly code: string
  readonly message: string
}

/** Why a task is dead. Its message also says which of its calls ran. */
export interface TaskDeath extends TaskError {
  /** The calls that took effect, or may have, in their order: nothing of it was undone. */
  readonly ran: readonly RanCall[]
}

/** A task as it is stored. Times are milliseconds since the epoch. */
export interface Task {
  readonly id: string
  readonly conversationId: string
  readonly input: JSONValue
  readonly replyTo: JSONValue | undefined
  readonly state: TaskState
  /** Attempts that were begun and not given back, by parking or releasing. */
  readonly attempts: number
  readonly maxAttempts: number
  readonly dueAt: number
  readonly createdAt: number
  readonly updatedAt: number
  /** Who works on it, until when. */
  readonly lease: TaskLease | undefined
  /** Of the last attempt that failed. */
  readonly error: TaskError | undefined
  /**
   * What it waits for while it is parked, as whoever parked it said it; after that what it waited for,
   * until it is parked again or over.
   */
  readonly waitingFor: JSONValue | undefined
  /**
   * What came for it and no attempt has dealt with (decisions of a person), oldest first: those that a
   * claim shows are dealt with when that claim parks or completes the task.
   */
  readonly answers: readonly JSONValue[]
}

/** The right to work on a task, for a time. */
export interface TaskLease {
  readonly worker: string
  /** Grows with every claim of the task: what an earlier holder still writes is refused. */
  readonly epoch: number
  readonly expiresAt: number
}

/** A task together with the claim on it; every change a worker makes names it. */
export interface Claim {
  readonly task: Task
  readonly worker: string
  readonly epoch: number
  /** The holder before it lost its lease in the middle: what it ran may have taken effect. */
  readonly isTakenOver: boolean
  /** An earlier attempt ended with its worker: the worker runs it without another task beside it. */
  readonly isSuspect: boolean
  /** Its last attempt ended with its worker: there is no other one, so `fail` it with `undefined`. */
  readonly isSpent: boolean
}

/** Who asks for a task. */
export interface ClaimRequest {
  readonly worker: string
  readonly leaseMs: number
  /** Whether this worker has no other task: only then it is given a suspect. Default `true`. */
  readonly isIdle?: boolean
}

/**
 * What became another one in an inbox, so that nobody looks in vain.
 *
 * - `progress` how far a task is: there is nothing to claim
 * - `free` there may be something to claim, now or later
 * - `any` anything, also an answer to a task that is under way
 */
export type TaskNews = 'progress' | 'free' | 'any'

/** What to list. */
export interface TaskFilter {
  readonly states?: readonly TaskState[]
  readonly conversationId?: string
  /** Default 100, newest first. */
  readonly limit?: number
  /** Only tasks added before the one of this id. */
  readonly before?: string
}

/**
 * The tasks of workers, as a small contract: `sqliteInbox` keeps them in a file, and a queue on an
 * engine that already runs distributed can stand in.
 *
 * - What resolves is durable.
 * - Of the tasks of one conversation only the oldest that is not over (`done`, `dead`, `failed`) is
 *   claimed, and only one worker has it: a parked one holds back those after it.
 * - A change by a claim whose lease was lost (another epoch) changes nothing and answers `false`.
 */
export interface Inbox {
  add(task: NewTask): Promise<Task>
  /**
   * The next task that is due, or whose lease ran out; `undefined` when there is none.
   *
   * One whose lease ran out may be what its worker died of, or another task of that worker was. So it
   * becomes a suspect: its attempt is not counted, and is made again alone. While a suspect is next,
   * a worker that has other tasks gets nothing. A suspect whose lease runs out has lost its attempt;
   * after the last one the claim is spent.
   */
  claim(request: ClaimRequest): Promise<Claim | undefined>
  /** Extends the lease from now on. */
  heartbeat(claim: Claim, leaseMs: number): Promise<boolean>
  progress(claim: Claim, state: ClaimedState): Promise<boolean>
  /**
   * Gives the claim back until an answer comes. One that came meanwhile was for what was asked before:
   * then nobody is asked anew (`waitingFor` stays), and it is queued at once.
   */
  park(claim: Claim, waitingFor: JSONValue): Promise<boolean>
  complete(claim: Claim): Promise<boolean>
  /**
   * Gives the claim back for another attempt in so many milliseconds, by the clock of the inbox. `undefined`
   * buries the task (`dead`), and so does the end of its last attempt.
   */
  fail(claim: Claim, error: TaskError, delayMs: number | undefined): Promise<boolean>
  /**
   * Gives the claim back as if the attempt had not begun: by a worker that stops, or that cannot begin
   * for so many milliseconds (default 0), and then may say why.
   */
  release(claim: Claim, delayMs?: number, why?: TaskError): Promise<boolean>
  /**
   * Says of a claim that another worker has taken over that its worker lives: the task has not ended it, so that
   * the loss counts for nothing and the next one again makes it a suspect only. `false` when more has happened since.
   * An inbox without it goes by leases alone.
   */
  vouch?(claim: Claim): Promise<boolean>

  /**
   * Replaces what the person said in a task that nobody has claimed yet; `false` when somebody has, or
   * when it is not there.
   */
  edit(taskId: string, input: JSONValue): Promise<boolean>
  /** Hands in what a parked task waits for, and queues it; `false` when it is over or not there. */
  answer(taskId: string, answer: JSONValue): Promise<boolean>
  get(taskId: string): Promise<Task | undefined>
  list(filter?: TaskFilter): Promise<readonly Task[]>
  /** How many tasks there are in each state that has any. */
  count(): Promise<ReadonlyMap<TaskState, number>>
  /**
   * Queues a dead task again, with all its attempts and behind all others of its conversation, which
   * has gone on without it; `false` for any other.
   */
  replay(taskId: string): Promise<boolean>
  /**
   * Gives a dead task up (`failed`); `false` for any other. Its message, unless it got an answer, leaves the conversation
   * before the next task of it begins.
   */
  discard(taskId: string): Promise<boolean>
  /**
   * Milliseconds until the next task falls due or a lease runs out, by the clock of the inbox; not above 0 when one
   * has, `undefined` when none will by itself.
   */
  msUntilDue(): Promise<number | undefined>
  /**
   * Called when tasks came or changed by this inbox's own methods; returns how to stop that. Who does not say what
   * became another one means `any`.
   */
  subscribe(listener: (news?: TaskNews) => void): () => void
}
