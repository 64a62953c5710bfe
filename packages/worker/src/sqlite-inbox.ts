import type { AssentDatabase, TransactionOptions } from '@assent/node'
import type { Claim, Inbox, Task, TaskError, TaskNews } from './inbox.ts'
import { nextAttempt } from './next-attempt.ts'
import { assertAttempts, toJson, toNewTaskRow, toTime } from './new-task.ts'
import { isTaskState, jsonOf, numberOf, textOf, toTask, type Row } from './task-rows.ts'
import { taskListing } from './task-listing.ts'
import { taskStatements } from './task-statements.ts'
import { tasksAhead } from './tasks-ahead.ts'
import { WorkerError } from './worker-error.ts'

/** Options of {@link sqliteInbox}. */
export interface SqliteInboxOptions {
  /** Milliseconds since the epoch. Default `Date.now`. */
  readonly now?: () => number
  /** Of tasks that do not say it. Default 3. */
  readonly maxAttempts?: number
  /** What a listener threw. Default: a warning of the process. */
  readonly onError?: (error: unknown) => void
}

/** An inbox in a file. */
export interface SqliteInbox extends Inbox {
  /**
   * Deletes tasks that were done or given up before a time, so that the file does not grow for ever,
   * and says how many. A task of the id of one that was deleted is a new one.
   */
  forget(before: number): Promise<number>
}

/**
 * What a loss of power may take back: nothing rests on it before something is stored in the same file
 * that is to last, and that makes it last as well.
 */
const RELAXED: TransactionOptions = { durability: 'relaxed' }

/**
 * Keeps the tasks of workers in a database: any number of processes may add and claim. What resolves
 * is on disk, but for claims and how far they are, which a loss of power can take back as long as
 * nothing else was stored after them. Throws `invalid_argument`, also for tasks that cannot be kept.
 */
export function sqliteInbox(
  database: AssentDatabase,
  { now = Date.now, maxAttempts = 3, onError = warn }: SqliteInboxOptions = {},
): SqliteInbox {
  assertAttempts(maxAttempts)
  const { sqlite, transaction } = database
  const statement = taskStatements(sqlite)
  const listeners = new Set<(news: TaskNews) => void>()
  const time = () => Math.floor(now())

  function tell(news: TaskNews): void {
    for (const listener of listeners) {
      try {
        listener(news)
      } catch (error) {
        onError(error)
      }
    }
  }

  /** Does something to the tasks, and tells when it did. */
  async function change<RESULT>(
    act: () => RESULT,
    news: TaskNews = 'any',
    options?: TransactionOptions,
  ): Promise<RESULT> {
    const result = await transaction(act, options)
    if (result !== false) tell(news)
    return result
  }

  function read(row: Row): Task {
    const id = textOf(row, 'id')
    return toTask(
      row,
      statement('answers')
        .all(id)
        .map((answer) => jsonOf(id, textOf(answer, 'answer_json'))),
    )
  }

  /** The row of a claimed task, as long as the claim holds. */
  function held({ task: { id }, worker, epoch }: Claim): Row | undefined {
    return statement('held').get(id, worker, epoch)
  }

  /** Changes a task by a claim on it; `false` when that was lost. */
  function byClaim(
    claim: Claim,
    act: (row: Row, at: number) => void,
    news: TaskNews = 'free',
    options?: TransactionOptions,
  ): Promise<boolean> {
    return change(
      () => {
        const row = held(claim)
        if (row) act(row, time())
        return row !== undefined
      },
      news,
      options,
    )
  }

  /** Ends a task; the next one of its conversation can be claimed from now on. */
  function end(row: Row, state: 'done' | 'dead', at: number, error?: TaskError): void {
    statement('end').run(state, at, error?.code ?? null, error?.message ?? null, textOf(row, 'id'))
    statement('moveUp').run(textOf(row, 'conversation_id'))
  }

  function queue(row: Row, dueAt: number, attempts: number, at: number): void {
    statement('queue').run(dueAt, dueAt, attempts, at, textOf(row, 'id'))
  }

  function answer(taskId: string, answerJson: string): boolean {
    const row = statement('get').get(taskId)
    if (!row || ['done', 'dead', 'failed'].includes(textOf(row, 'state'))) return false
    const at = time()
    statement('addAnswer').run(taskId, answerJson, at)
    if (row['state'] === 'parked') queue(row, at, numberOf(row, 'attempts'), at)
    return true
  }

  const clock = tasksAhead(database, statement, time)

  return {
    async add(task) {
      const at = time()
      const { id, conversationId, ...rest } = toNewTaskRow(task, { now: at, maxAttempts })
      const row = await change(() => {
        const known = statement('get').get(id)
        if (known) return known
        const isNext = statement('anyOpen').get(conversationId) === undefined ? 1 : 0
        const { inputJson, replyToJson, dueAt, maxAttempts: most } = rest
        statement('add').run(
          id,
          conversationId,
          inputJson,
          replyToJson,
          isNext,
          dueAt,
          dueAt,
          most,
          at,
          at,
        )
        return statement('get').get(id)
      }, 'free')
      if (row) return read(row)
      throw new WorkerError('task_unreadable', `Task ${id} was added and is not there.`)
    },

    async claim({ worker, leaseMs, isIdle = true }) {
      await clock.look()
      // Without the right to write, which all that wait would queue for.
      if (!statement('claimable').get(time())) return undefined
      return transaction(() => {
        const at = time()
        const found = statement('claimable').get(at)
        if (!found) return undefined
        const { attempts, isSuspect, isSpent } = nextAttempt(found)
        if (isSuspect && !isSpent && !isIdle) return undefined
        const alone = isSuspect ? attempts : null
        const id = textOf(found, 'id')
        const row = statement('claim').get(worker, at + leaseMs, leaseMs, attempts, alone, at, id)
        if (!row) return undefined
        const epoch = numberOf(row, 'epoch')
        const isTakenOver = found['worker'] !== null
        return { task: read(row), worker, epoch, isTakenOver, isSuspect, isSpent }
      }, RELAXED)
    },

    async heartbeat(claim, leaseMs) {
      const { task, worker, epoch } = claim
      return transaction(() => {
        const at = time()
        return statement('heartbeat').run(at + leaseMs, leaseMs, task.id, worker, epoch).changes > 0
      }, RELAXED)
    },

    async progress(claim, state) {
      return byClaim(
        claim,
        (row, at) => statement('progress').run(state, at, textOf(row, 'id')),
        'progress',
        RELAXED,
      )
    },

    async park(claim, waitingFor) {
      const waitingForJson = toJson('waitingFor', waitingFor)
      return byClaim(claim, (row, at) => {
        const id = textOf(row, 'id')
        const attempts = numberOf(row, 'attempts') - 1
        statement('forgetAnswers').run(id, numberOf(row, 'seen_answer'))
        if (statement('answers').get(id)) queue(row, at, attempts, at)
        else statement('park').run(waitingForJson, attempts, at, id)
      })
    },

    async complete(claim) {
      return byClaim(claim, (row, at) => {
        statement('forgetAnswers').run(textOf(row, 'id'), Number.MAX_SAFE_INTEGER)
        end(row, 'done', at)
      })
    },

    async fail(claim, error, delayMs) {
      const delay = delayMs === undefined ? undefined : toTime('delayMs', delayMs)
      return byClaim(claim, (row, at) => {
        const attempts = numberOf(row, 'attempts')
        if (delay === undefined || attempts >= numberOf(row, 'max_attempts')) {
          end(row, 'dead', at, error)
        } else {
          statement('noteError').run(error.code, error.message, textOf(row, 'id'))
          queue(row, at + delay, attempts, at)
        }
      })
    },

    async release(claim, delayMs = 0, why) {
      const delay = toTime('delayMs', delayMs)
      return byClaim(claim, (row, at) => {
        if (why) statement('noteError').run(why.code, why.message, textOf(row, 'id'))
        queue(row, at + delay, numberOf(row, 'attempts') - 1, at)
      })
    },

    async vouch({ task: { id, attempts }, epoch }) {
      return transaction(() => statement('vouch').run(attempts, id, epoch + 1).changes > 0, RELAXED)
    },

    async edit(taskId, input) {
      const json = toJson('input', input)
      return change(() => statement('edit').run(json, time(), taskId).changes > 0)
    },

    async answer(taskId, given) {
      const json = toJson('answer', given)
      return change(() => answer(taskId, json))
    },

    async get(taskId) {
      const row = statement('get').get(taskId)
      return row && read(row)
    },

    async list(filter = {}) {
      const { sql, values } = taskListing(filter)
      return sqlite
        .prepare(sql)
        .all(...values)
        .map(read)
    },

    async count() {
      const counts = statement('count')
        .all()
        .flatMap(({ state, count }) => {
          return isTaskState(state) && typeof count === 'number' ? [[state, count] as const] : []
        })
      return new Map(counts)
    },

    async replay(taskId) {
      return change(() => {
        const at = time()
        const row = statement('replay').get(at, at, at, taskId)
        if (row) statement('moveUp').run(textOf(row, 'conversation_id'))
        return row !== undefined
      })
    },

    async discard(taskId) {
      return change(() => statement('discard').run(time(), taskId).changes > 0)
    },

    async msUntilDue() {
      const due = statement('nextDueAt').get()?.['at']
      return typeof due === 'number' ? due - time() : undefined
    },

    subscribe(listener) {
      // Two times the same one are two.
      const own = (news: TaskNews) => listener(news)
      listeners.add(own)
      return () => void listeners.delete(own)
    },

    async forget(before) {
      const time = toTime('before', before)
      return transaction(() => {
        statement('forgetReplies').run(time)
        return Number(statement('forget').run(time).changes)
      })
    },
  }
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error))
}
