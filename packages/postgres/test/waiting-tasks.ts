import type { Client, Pool } from 'pg'

/** In one statement, so that none takes longer than a pool waits. */
const CHUNK = 50_000

/** Fills an inbox up to so many tasks, each of a conversation of its own, as `add` leaves them. */
export async function fillInbox(client: Pool | Client, count: number): Promise<void> {
  for (let from = 1; from <= count; from += CHUNK) {
    const range = [from, Math.min(count, from + CHUNK - 1)]
    await client.query(
      `insert into assent.task_conversations (id, next_seq)
       select 'c' || n, 1 from generate_series($1::int, $2::int) n on conflict do nothing`,
      range,
    )
    await client.query(
      `insert into assent.tasks (id, conversation_id, seq, input, state, is_head, wake_at, max_attempts,
         due_at, created_at, updated_at)
       select 't' || n, 'c' || n, 1, '"x"', 'queued', true, n, 3, n, n, n
       from generate_series($1::int, $2::int) n on conflict do nothing`,
      range,
    )
  }
  await client.query('analyze assent.tasks')
}
