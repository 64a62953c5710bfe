import type {
  FoundReply,
  RecordedReply,
  Replies,
  ReplyClaim,
  UndeliveredReply,
} from '@assent/worker'
import type { AssentPostgres, Row } from '../open-postgres.ts'

/** In the place of a reply that is not to be changed by whoever asks. */
const BY_CLAIM = 'task_id = $1 and epoch <= $2'

/** What is read of a reply `r`. */
const FOUND = `r.state, r.reply::text as reply,
  exists (select from assent.task_deliveries d where d.task_id = r.task_id) as waits`

/** Goes out now, unless it waits or others before it do: then it waits behind those. */
const BEGIN = `
  with waiting as (
    select from assent.task_deliveries
    where task_id = $1 or (conversation_id = $3 and due_at is not null) limit 1
  ), before as (
    select task_id, state from assent.task_replies where ${BY_CLAIM} and state <> 'sent' for update
  ), added as (
    insert into assent.task_deliveries (task_id, conversation_id, waiting_since, due_at, failures)
      select task_id, $3, assent.clock_v1(), assent.clock_v1(), 0 from before
      where exists (select from waiting)
    on conflict do nothing
  ), begun as (
    update assent.task_replies r set state = 'sending', epoch = $2, updated_at = assent.clock_v1()
    from before where r.task_id = before.task_id and not exists (select from waiting)
  )
  select state, exists (select from waiting) as is_later from before`

const SENT = `
  with sent as (
    update assent.task_replies
    set state = 'sent', reply = null, epoch = $2, updated_at = assent.clock_v1()
    where ${BY_CLAIM} returning task_id
  ), removed as (
    delete from assent.task_deliveries d using sent where d.task_id = sent.task_id
  )
  select from sent`

const FAIL = `
  with failed as (
    update assent.task_replies set state = $3, epoch = $2, updated_at = assent.clock_v1()
    where ${BY_CLAIM} and state <> 'sent' returning task_id
  ), kept as (
    insert into assent.task_deliveries as d
      (task_id, conversation_id, waiting_since, due_at, failures, error)
    select task_id, $4, assent.clock_v1(), assent.clock_v1() + $5::bigint, 1, $6::json from failed
    on conflict (task_id) do update
      set due_at = excluded.due_at, failures = d.failures + 1, error = excluded.error
  )
  select from failed`

/** Nobody waits for anybody: what is locked is somebody else's by the time it is free. */
const NEXT = `
  with one as (
    select d.task_id, d.conversation_id, d.failures, r.state, r.reply::text as reply,
      (assent.clock_v1() - d.waiting_since)::float8 as waited_ms
    from assent.task_deliveries d join assent.task_replies r on r.task_id = d.task_id
    where d.due_at <= assent.clock_v1() and not exists (
      select from assent.task_deliveries other where other.conversation_id = d.conversation_id
        and other.place < d.place and other.due_at is not null)
    order by d.due_at, d.place limit 1 for update of d, r skip locked
  ), leased as (
    update assent.task_deliveries d set due_at = assent.clock_v1() + $1::bigint
    from one where d.task_id = one.task_id
  ), begun as (
    update assent.task_replies r
    set state = 'sending', epoch = r.epoch + 1, updated_at = assent.clock_v1()
    from one where r.task_id = one.task_id returning r.epoch
  )
  select one.*, begun.epoch::float8 as epoch from one, begun`

/** Keeps what became of replies in a database, for any number of processes on any number of machines. */
export function postgresReplies({ query }: AssentPostgres): Replies {
  return {
    async find(taskId) {
      const sql = `select ${FOUND} from assent.task_replies r where task_id = $1`
      const [row] = await query(sql, [taskId])
      return row && toFound(row)
    },

    async record({ task, epoch }, { text, message, notice }) {
      const [row] = await query(
        `insert into assent.task_replies as r (task_id, epoch, state, reply, updated_at)
         values ($1, $2, 'pending', $3::json, assent.clock_v1())
         on conflict (task_id) do update set epoch = excluded.epoch where r.epoch <= excluded.epoch
         returning ${FOUND}`,
        [task.id, epoch, JSON.stringify({ text, message, notice })],
      )
      return row && toFound(row)
    },

    async begin({ task, epoch }) {
      const [row] = await query(BEGIN, [task.id, epoch, task.conversationId])
      if (!row) return undefined
      if (row['is_later'] === true) return 'later'
      return row['state'] === 'sending' ? 'again' : 'first'
    },

    async undo({ task, epoch }: ReplyClaim) {
      const sql = `update assent.task_replies
        set state = 'pending', epoch = $2, updated_at = assent.clock_v1()
        where ${BY_CLAIM} and state = 'sending' returning 1`
      return (await query(sql, [task.id, epoch])).length > 0
    },

    sent: async ({ task, epoch }) => (await query(SENT, [task.id, epoch])).length > 0,

    async fail({ task, epoch }, { error, isUnsent }, delayMs) {
      const state = isUnsent ? 'pending' : 'sending'
      const delay = delayMs === undefined ? null : Math.ceil(delayMs)
      const values = [task.id, epoch, state, task.conversationId, delay, JSON.stringify(error)]
      return (await query(FAIL, values)).length > 0
    },

    async next(leaseMs) {
      const [row] = await query(NEXT, [Math.ceil(leaseMs)])
      if (!row) return undefined
      return {
        task: { id: String(row['task_id']), conversationId: String(row['conversation_id']) },
        epoch: Number(row['epoch']),
        reply: toReply(row),
        mayBeRepeated: row['state'] === 'sending',
        failures: Number(row['failures']),
        waitedMs: Math.max(0, Number(row['waited_ms'])),
      }
    },

    async extend({ task, epoch }, leaseMs) {
      const sql = `update assent.task_deliveries set due_at = assent.clock_v1() + $3::bigint
        where task_id = $1 and exists (
          select from assent.task_replies where ${BY_CLAIM} and state = 'sending') returning 1`
      return (await query(sql, [task.id, epoch, Math.ceil(leaseMs)])).length > 0
    },

    async undelivered(limit = 100) {
      const rows = await query(
        `select task_id, conversation_id, waiting_since::float8 as waiting_since,
           due_at::float8 as due_at, failures, error::text as error
         from assent.task_deliveries order by place limit $1`,
        [limit],
      )
      return rows.map(toUndelivered)
    },
  }
}

function toFound(row: Row): FoundReply {
  if (row['state'] === 'sent') return 'sent'
  return row['waits'] === true ? 'waiting' : toReply(row)
}

function toReply(row: Row): RecordedReply {
  // It was written by `record`.
  const { text, message, notice }: RecordedReply = JSON.parse(String(row['reply']))
  return { text, message, notice }
}

function toUndelivered(row: Row): UndeliveredReply {
  const { due_at: dueAt, error } = row
  return {
    taskId: String(row['task_id']),
    conversationId: String(row['conversation_id']),
    waitingSince: Number(row['waiting_since']),
    dueAt: typeof dueAt === 'number' ? dueAt : undefined,
    failures: Number(row['failures']),
    // It was written by `fail`.
    error: typeof error === 'string' ? JSON.parse(error) : undefined,
  }
}
