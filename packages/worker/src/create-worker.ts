import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { beginAttempt, type Attempt } from './attempt.ts'
import type { Claim, Task, TaskDeath, TaskError, TaskNews } from './inbox.ts'
import type { MayDecideTask } from './may-decide.ts'
import { runDeliveries } from './run-deliveries.ts'
import { createOutages } from './outages.ts'
import { scheduleTimeout, type Schedule } from './schedule.ts'
import type { WorkerStores } from './stores.ts'
import { taskAudit } from './task-audit.ts'
import type { TaskText } from './tell-text.ts'
import { WorkerError } from './worker-error.ts'
import type { CreateTaskEngine, TaskHold, TaskReply, WorkerParts } from './worker-parts.ts'

/**
 * Options of {@link createWorker}: its stores, those of `sqliteStores(database)` or of another backend, and
 * what it does with them. Times are milliseconds.
 */
export interface WorkerOptions extends Omit<WorkerStores, 'changes' | 'erase' | 'close'> {
  /** Makes the engine that works on a task; see `modelEngine`. */
  readonly createEngine: CreateTaskEngine
  /**
   * Sends the answer to a task where it belongs. When it throws (see `ReplyError`) the task is done all the
   * same, and the answer is sent again later, in order per conversation. Default: the answer is in the
   * conversation.
   */
  readonly onReply?: (reply: TaskReply) => void | PromiseLike<void>
  /**
   * Told how the answer to a task grows while it is written, a few times a second; nothing waits for it. What it
   * throws changes nothing.
   */
  readonly onText?: (said: TaskText) => void
  /**
   * Told once when a task is dead, as far as this worker sees it, and which of its calls ran by then (`ran`). What it
   * throws changes nothing.
   */
  readonly onDead?: (task: Task, error: TaskDeath) => void | PromiseLike<void>
  /**
   * Told once when the reply of a task was given up: its channel refuses it for good, or for too long. What it
   * throws changes nothing.
   */
  readonly onUndelivered?: (task: Task, error: TaskError) => void | PromiseLike<void>
  /**
   * Told once of a task when its model cannot be reached: it waits, with all that comes after it in its conversation,
   * and no attempt is counted. Send `message` to whoever waits; what it throws changes nothing.
   */
  readonly onHeld?: (task: Task, hold: TaskHold) => void | PromiseLike<void>
  /**
   * Who may decide about the calls of tasks; asked about every decision and every output that comes as an
   * answer. Anything but `true`, an error, or no answer within 10 s refuses it (`may_not_decide` in
   * `refused`), and the task waits on. Default: whoever may answer a task may decide.
   */
  readonly mayDecide?: MayDecideTask
  /** Everything that went wrong, also attempts that are made again. Default: a warning of the process. */
  readonly onError?: (error: unknown) => void
  /** Tasks, of as many conversations, that are worked on at the same time. Default 4. */
  readonly concurrency?: number
  /** Who claims, for people who look at the tasks. Default: host, process and a random part. */
  readonly name?: string
  /** After this long without a sign of life another worker takes a task over. Default 15,000. */
  readonly leaseMs?: number
  /** How often tasks are looked for that other processes added. Default 500. */
  readonly pollMs?: number
  /** How long a reply may take to go out. Default 60,000. */
  readonly replyTimeoutMs?: number
  /** How long a reply is tried to be sent, from the first time on. Default 24 hours. */
  readonly deliveryMaxAgeMs?: number
  /** Before the second attempt, at most; doubled with each, up to 60 s. Default 2,000. */
  readonly retryBaseMs?: number
  /** How long a model that cannot be reached, or a database, is waited for; after that attempts count. Default 24 hours. */
  readonly holdForMs?: number
  /** From 0 to below 1, for the time between attempts. Default `Math.random`. */
  readonly random?: () => number
  /** Default: by `setTimeout`. */
  readonly schedule?: Schedule
}

const DAY_MS = 24 * 3_600_000

/** Works off the tasks of an inbox. */
export interface Worker {
  readonly name: string
  /** Begins to claim tasks. Throws `invalid_argument` once it was stopped. */
  start(): void
  /**
   * Claims nothing more. What is under way has `graceMs` (default 10,000) to come to its end; after
   * that it is given back, as it is, to be gone on with by another worker. Never rejects.
   */
  stop(options?: { readonly graceMs?: number }): Promise<void>
}

/** A round without a task is not followed by another one sooner than this. */
const LEAST_MS = 5

/**
 * Makes a worker. It claims tasks, has their conversations led by engines, parks what waits for a
 * person, sends the answers, and tries again what failed and may succeed. Any number of workers, in any
 * number of processes, may have one inbox. Throws `invalid_argument` for options that cannot work.
 */
export function createWorker(options: WorkerOptions): Worker {
  const {
    inbox,
    concurrency = 4,
    pollMs = 500,
    onError = warn,
    schedule = scheduleTimeout,
  } = options
  const told = new WeakSet<object>()
  const parts = toParts(options, (error) => {
    // What an engine tells of, its attempt throws.
    if (typeof error === 'object' && error !== null) {
      if (told.has(error)) return
      told.add(error)
    }
    try {
      onError(error)
    } catch (thrown) {
      warn(thrown)
    }
  })
  const { name, report } = parts
  const attempts = new Set<Attempt>()
  /** What may end this process, and runs alone. */
  let suspect: Attempt | undefined
  const stopping = new AbortController()
  const left = stopping.signal
  const deliveries = runDeliveries(parts, { concurrency, pollMs, left })
  let state: 'made' | 'started' | 'stopped' = 'made'
  let looking: Promise<void> | undefined
  let isToLookAgain = false
  let unsubscribe = () => {}
  let cancel = () => {}
  let stopped: Promise<void> | undefined

  const isFree = () =>
    state === 'started' &&
    attempts.size < concurrency &&
    !suspect &&
    ![...attempts].some(({ isUnsaid }) => isUnsaid)

  /** Claims what there is and can be begun. One at a time; what comes meanwhile is looked for after it. */
  function look(): void {
    isToLookAgain = true
    looking ??= lookNow().finally(() => {
      looking = undefined
      if (isToLookAgain) look()
    })
  }

  async function lookNow(): Promise<void> {
    cancel()
    let delay = pollMs
    try {
      while (isToLookAgain) {
        isToLookAgain = false
        while (isFree()) {
          const isIdle = attempts.size === 0
          const askedAt = performance.now()
          const claim = await inbox.claim({ worker: name, leaseMs: parts.leaseMs, isIdle })
          if (!claim) break
          begin(claim, askedAt)
        }
      }
      const dueInMs = isFree() ? await inbox.msUntilDue() : undefined
      // What is due and was not given out waits for the end of an attempt, here or elsewhere.
      const isLater = dueInMs !== undefined && (dueInMs > 0 || attempts.size === 0)
      if (isLater) delay = Math.max(LEAST_MS, Math.min(pollMs, dueInMs))
    } catch (error) {
      report(error)
    }
    if (isFree()) cancel = schedule(look, delay)
  }

  function begin(claim: Claim, askedAt: number): void {
    const attempt = beginAttempt(parts, { claim, askedAt }, stopping.signal)
    attempts.add(attempt)
    if (claim.isSuspect) suspect = attempt
    void attempt.over.then(() => {
      attempts.delete(attempt)
      if (suspect === attempt) suspect = undefined
      look()
    })
  }

  /** Something was said in the inbox: a task came, or somebody wants one to end. */
  function listen(news: TaskNews = 'any'): void {
    // With every step of every task all workers would ask for all of theirs.
    if (news === 'progress') return
    if (news === 'any') for (const attempt of attempts) attempt.look()
    look()
  }

  async function stop(graceMs: number): Promise<void> {
    state = 'stopped'
    unsubscribe()
    cancel()
    const delivered = deliveries.stop()
    const cancelGrace = schedule(() => stopping.abort(reason()), graceMs)
    // A claim that is under way still comes.
    await looking
    await Promise.all([...attempts].map(({ over }) => over))
    await delivered
    cancelGrace()
  }

  return {
    name,
    start() {
      if (state === 'started') return
      if (state === 'stopped') {
        throw new WorkerError(
          'invalid_argument',
          'A worker that was stopped is over; make another one.',
        )
      }
      state = 'started'
      unsubscribe = inbox.subscribe(listen)
      look()
      if (parts.onReply) deliveries.start()
    },
    stop({ graceMs = 10_000 } = {}) {
      stopped ??= stop(graceMs)
      return stopped
    },
  }
}

function reason(): DOMException {
  return new DOMException('The worker was stopped.', 'AbortError')
}

function toParts(options: WorkerOptions, report: (error: unknown) => void): WorkerParts {
  const { inbox, conversations, replies, audit, createEngine, onReply, onDead } = options
  const { leaseMs = 15_000, retryBaseMs = 2_000, replyTimeoutMs = 60_000 } = options
  const { deliveryMaxAgeMs = DAY_MS, holdForMs = DAY_MS } = options
  const { concurrency = 4, pollMs = 500 } = options
  const times = { leaseMs, retryBaseMs, replyTimeoutMs, deliveryMaxAgeMs, holdForMs, pollMs }
  for (const [field, value] of Object.entries({ ...times, concurrency })) {
    if (value > 0) continue
    throw new WorkerError('invalid_argument', `${field} is a number above 0.`)
  }
  return {
    name: options.name ?? `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`,
    inbox,
    conversations,
    replies,
    createEngine,
    onReply,
    onDead,
    onText: options.onText,
    onHeld: options.onHeld,
    onUndelivered: options.onUndelivered,
    mayDecide: options.mayDecide,
    report,
    audit: taskAudit(audit === false ? undefined : audit),
    random: options.random ?? Math.random,
    schedule: options.schedule ?? scheduleTimeout,
    leaseMs,
    retryBaseMs,
    replyTimeoutMs,
    deliveryMaxAgeMs,
    holdForMs,
    outages: createOutages(),
  }
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error))
}
