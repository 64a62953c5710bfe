import type { PoolClient } from 'pg'
import type { Row } from '../open-postgres.ts'

/**
 * Erases tasks, with their answers and replies. Their rows stay, so that the same task is not added again; a worker that
 * has one has lost it, and so has one that sends its reply.
 *
 * @returns how many there were
 */
export async function eraseTasks(client: PoolClient, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0
  // First, as by who adds a task or ends one.
  const conversations = await client.query<Row>(
    `select id from assent.task_conversations
     where id in (select conversation_id from assent.tasks where id = any ($1::text[]))
     order by id for update`,
    [ids],
  )
  const { rowCount } = await client.query(
    `with gone as (
       update assent.tasks
       set input = 'null', reply_to = null, waiting_for = null, worker = null, wake_at = null,
         is_head = false, epoch = epoch + 1, updated_at = assent.clock_v1(),
         state = case state when 'done' then state else 'failed' end,
         error_code = 'erased', error_message = 'It was erased.'
       where id = any ($1::text[]) and error_code is distinct from 'erased'
       returning id, epoch
     )
     insert into assent.task_replies as r (task_id, epoch, state, updated_at)
       select id, epoch, 'sent', assent.clock_v1() from gone
     on conflict (task_id) do update set state = 'sent', reply = null,
       updated_at = excluded.updated_at, epoch = greatest(r.epoch, excluded.epoch)`,
    [ids],
  )
  await client.query('delete from assent.task_deliveries where task_id = any ($1::text[])', [ids])
  await client.query('delete from assent.task_answers where task_id = any ($1::text[])', [ids])
  for (const { id } of conversations.rows) {
    await client.query('select assent.move_up_v1($1)', [id])
  }
  return rowCount ?? 0
}

/** The tasks of a conversation. */
export async function tasksOf(client: PoolClient, conversationId: string): Promise<string[]> {
  const { rows } = await client.query<Row>(
    'select id from assent.tasks where conversation_id = $1',
    [conversationId],
  )
  return rows.map(({ id }) => String(id))
}
