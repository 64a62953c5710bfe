import type { Claim, Inbox, Task, TaskNews } from '@assent/worker'
import type { AssentPostgres } from '../open-postgres.ts'
import { assertAttempts, toJson, toNewTask, toTime } from './new-task.ts'
import { taskListing } from './task-listing.ts'
import { ANSWERS_COLUMN, isTaskState, TASK_COLUMNS, toTask } from './task-rows.ts'

/** Options of {@link postgresInbox}. */
export interface PostgresInboxOptions {
  /** Of tasks that do not say it. Default 3. */
  readonly maxAttempts?: number
  /** What a listener threw. Default: a warning of the process. */
  readonly onError?: (error: unknown) => void
}

/** An inbox in a database. Its listeners also hear of what other processes change. */
export interface PostgresInbox extends Inbox {
  /**
   * Deletes tasks that were done or given up before a time, so that the database does not grow for
   * ever, and says how many. A task of the id of one that was deleted is a new one.
   */
  forget(before: number): Promise<number>
}

const GET = `select ${TASK_COLUMNS}, ${ANSWERS_COLUMN} from assent.tasks t where id = $1`
const EDIT = `
  update assent.tasks set input = $2::json, updated_at = assent.clock_v1()
  where id = $1 and state = 'queued' and epoch = 0 returning true as is_done`
const VOUCH = `
  update assent.tasks set alone_attempt = null, attempts = least(attempts, $3)
  where id = $1 and epoch = $2 and worker is not null and alone_attempt is not null returning 1`
const END = `
  select assent.end_task_v1($1, $2, $3, 'done', null, null) as is_done, exists (
    select from assent.tasks where conversation_id = $4 and id <> $1
      and state not in ('done', 'dead', 'failed')) as is_followed`
const CLAIM = `
  select ${TASK_COLUMNS}, c.answers::text as answers, c.is_taken_over, c.is_suspect, c.is_spent
  from assent.claim_task_v2($1, $2, $3) c cross join lateral (select (c.task).*) t`

/**
 * Keeps the tasks of workers in a database: any number of processes on any number of machines may add
 * and claim. What resolves is on disk, but for heartbeats and how far a claim is. Time is the
 * database's. Throws `invalid_argument`, also for tasks that cannot be kept.
 */
export function postgresInbox(
  database: AssentPostgres,
  { maxAttempts = 3, onError = warn }: PostgresInboxOptions = {},
): PostgresInbox {
  assertAttempts(maxAttempts)
  const { query, news } = database
  const listeners = new Set<(news: TaskNews) => void>()
  let stopListening = (): void => {}

  function tell(news: TaskNews): void {
    for (const listener of listeners) {
      try {
        listener(news)
      } catch (error) {
        onError(error)
      }
    }
  }

  /** Calls a function that changes a task, and tells everybody when it did. */
  async function change(
    call: string,
    values: readonly unknown[],
    what: TaskNews = 'any',
  ): Promise<boolean> {
    const [row] = await query(`select assent.${call} as is_done`, values)
    return noteChange(row, what)
  }

  function noteChange(row: { readonly is_done?: unknown } | undefined, what: TaskNews): boolean {
    if (row?.is_done !== true) return false
    tell(what)
    news.ring('assent_tasks', what)
    return true
  }

  /** Of several processes, some of a release that says nothing. */
  function hear(names: ReadonlySet<string>): void {
    const isOf = (...known: readonly string[]) => [...names].every((name) => known.includes(name))
    if (isOf('progress')) tell('progress')
    else tell(isOf('progress', 'free') ? 'free' : 'any')
  }

  /** The same by a claim; nothing when that was lost. */
  function byClaim(
    { task, worker, epoch }: Claim,
    call: string,
    values: readonly unknown[],
    what: TaskNews,
  ): Promise<boolean> {
    const places = values.map((_, index) => `, $${index + 4}`).join('')
    return change(`${call}($1, $2, $3${places})`, [task.id, worker, epoch, ...values], what)
  }

  async function get(taskId: string): Promise<Task | undefined> {
    const [row] = await query(GET, [taskId])
    return row && toTask(row)
  }

  return {
    async add(task) {
      const values = toNewTask(task, maxAttempts)
      await change('add_task_v1($1, $2, $3, $4, $5, $6)', values, 'free')
      const [id] = values
      const added = await get(id)
      if (added) return added
      throw new Error(`Task ${id} was added and is gone: somebody has deleted it.`)
    },

    async claim({ worker, leaseMs, isIdle = true }) {
      const [row] = await query(CLAIM, [worker, Math.ceil(leaseMs), isIdle])
      if (!row) return undefined
      return {
        task: toTask(row),
        worker,
        epoch: Number(row['epoch']),
        isTakenOver: row['is_taken_over'] === true,
        isSuspect: row['is_suspect'] === true,
        isSpent: row['is_spent'] === true,
      }
    },

    async heartbeat({ task, worker, epoch }, leaseMs) {
      // Nobody needs to hear of it.
      const [row] = await query('select assent.progress_task_v1($1, $2, $3, null, $4) as is_done', [
        task.id,
        worker,
        epoch,
        Math.ceil(leaseMs),
      ])
      return row?.['is_done'] === true
    },

    progress: (claim, state) => byClaim(claim, 'progress_task_v1', [state, null], 'progress'),
    park: async (claim, waitingFor) =>
      byClaim(claim, 'park_task_v1', [toJson('waitingFor', waitingFor)], 'free'),
    async complete({ task: { id, conversationId }, worker, epoch }) {
      const [row] = await query(END, [id, worker, epoch, conversationId])
      // Nobody need look where nothing follows; what is added meanwhile says so itself.
      return noteChange(row, row?.['is_followed'] === true ? 'free' : 'progress')
    },
    async fail({ task, worker, epoch }, { code, message }, delayMs) {
      const delay = delayMs === undefined ? null : toTime('delayMs', delayMs)
      const call = 'fail_task_v1($1, $2, $3, $4, $5, assent.clock_v1() + $6::bigint)'
      return change(call, [task.id, worker, epoch, code, message, delay], 'free')
    },
    async release({ task, worker, epoch }, delayMs = 0, why) {
      const call = 'queue_task_v1($1, $2, $3, assent.clock_v1() + $4::bigint, 1, $5, $6)'
      const delay = toTime('delayMs', delayMs)
      const given = [task.id, worker, epoch, delay, why?.code ?? null, why?.message ?? null]
      return change(call, given, 'free')
    },

    vouch: async ({ task: { id, attempts }, epoch }) =>
      (await query(VOUCH, [id, epoch + 1, attempts])).length > 0,

    async edit(taskId, input) {
      const [row] = await query(EDIT, [taskId, toJson('input', input)])
      return noteChange(row, 'progress')
    },

    answer: async (taskId, given) =>
      change('answer_task_v1($1, $2)', [taskId, toJson('answer', given)]),
    get,

    async list(filter = {}) {
      const { sql, values } = taskListing(filter)
      return (await query(sql, values)).map(toTask)
    },

    async count() {
      const rows = await query(
        'select state, count(*)::float8 as count from assent.tasks group by state',
      )
      return new Map(
        rows.flatMap(({ state, count }) =>
          isTaskState(state) ? [[state, Number(count)] as const] : [],
        ),
      )
    },

    replay: (taskId) => change('replay_task_v2($1)', [taskId]),
    discard: (taskId) => change('discard_task_v1($1)', [taskId]),

    async msUntilDue() {
      const [row] = await query(
        `select (wake_at - assent.clock_v1())::float8 as ms from assent.tasks where is_head and wake_at is not null
         order by wake_at, place limit 1`,
      )
      return row && Number(row['ms'])
    },

    subscribe(listener) {
      // Two times the same one are two.
      const own = (what: TaskNews): void => listener(what)
      if (listeners.size === 0) {
        stopListening = news.on('assent_tasks', { onRung: hear, onMissed: () => tell('any') })
      }
      listeners.add(own)
      return () => {
        if (listeners.delete(own) && listeners.size === 0) stopListening()
      }
    },

    async forget(before) {
      const sql = 'select assent.forget_tasks_v1($1)::float8 as count'
      const [row] = await query(sql, [toTime('before', before)])
      return Number(row?.['count'])
    },
  }
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error))
}
