import type { RecordedReply, Replies, ReplyClaim } from '@assent/worker'
import type { AssentPostgres, Row } from '../open-postgres.ts'

/** In the place of a reply that is not to be changed by whoever asks. */
const BY_CLAIM = 'task_id = $1 and epoch <= $2'

/** Keeps what became of replies in a database, for any number of processes on any number of machines. */
export function postgresReplies({ query }: AssentPostgres): Replies {
  async function set(sql: string, { task, epoch }: ReplyClaim): Promise<boolean> {
    const changed = `update assent.task_replies
      set epoch = $2, updated_at = assent.clock_v1(), ${sql} returning 1`
    return (await query(changed, [task.id, epoch])).length > 0
  }

  return {
    async find(taskId) {
      const [row] = await query(
        'select state, reply::text as reply from assent.task_replies where task_id = $1',
        [taskId],
      )
      return row && toReply(row)
    },

    async record({ task, epoch }, { text, message, notice }) {
      const [row] = await query(
        `insert into assent.task_replies as r (task_id, epoch, state, reply, updated_at)
         values ($1, $2, 'pending', $3::json, assent.clock_v1())
         on conflict (task_id) do update set epoch = excluded.epoch where r.epoch <= excluded.epoch
         returning state, reply::text as reply`,
        [task.id, epoch, JSON.stringify({ text, message, notice })],
      )
      return row && toReply(row)
    },

    async begin({ task, epoch }) {
      const [row] = await query(
        `update assent.task_replies r
         set state = 'sending', epoch = $2, updated_at = assent.clock_v1()
         from (select task_id, state from assent.task_replies
           where ${BY_CLAIM} and state <> 'sent' for update) as before
         where r.task_id = before.task_id returning before.state`,
        [task.id, epoch],
      )
      return row && (row['state'] === 'sending' ? 'again' : 'first')
    },

    undo: (claim) => set(`state = 'pending' where ${BY_CLAIM} and state = 'sending'`, claim),
    sent: (claim) => set(`state = 'sent', reply = null where ${BY_CLAIM}`, claim),
  }
}

function toReply(row: Row): RecordedReply | 'sent' {
  if (row['state'] === 'sent') return 'sent'
  // It was written by `record`.
  const { text, message, notice }: RecordedReply = JSON.parse(String(row['reply']))
  return { text, message, notice }
}
