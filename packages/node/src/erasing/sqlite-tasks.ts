import type { AssentDatabase } from '../sqlite/open-database.ts'

/**
 * Erases tasks, in a transaction of the caller, with their answers and replies. Their rows stay, so that the same task is
 * not added again; a worker that has one has lost it, and so has one that sends its reply.
 *
 * @returns how many there were
 */
export function eraseTasks({ sqlite }: AssentDatabase, ids: Iterable<string>, at: number): number {
  const erase = sqlite.prepare(
    `UPDATE tasks SET input_json = 'null', reply_to_json = NULL, waiting_for_json = NULL, worker = NULL,
       claimable_at = NULL, is_next = 0, epoch = epoch + 1, updated_at = ?,
       state = CASE state WHEN 'done' THEN state ELSE 'failed' END,
       error_code = 'erased', error_message = 'It was erased.'
     WHERE id = ? AND error_code IS NOT 'erased' RETURNING conversation_id, epoch`,
  )
  const forgetAnswers = sqlite.prepare('DELETE FROM task_answers WHERE task_id = ?')
  const forgetDelivery = sqlite.prepare('DELETE FROM task_deliveries WHERE task_id = ?')
  const closeReply = sqlite.prepare(
    `INSERT INTO task_replies (task_id, state, text, updated_at, epoch) VALUES (?, 'sent', '', ?, ?)
     ON CONFLICT DO UPDATE SET state = 'sent', text = '', message_json = NULL, notice = NULL,
       updated_at = excluded.updated_at, epoch = max(epoch, excluded.epoch)`,
  )
  const moveUp = sqlite.prepare(
    `UPDATE tasks SET is_next = 1 WHERE place = (
       SELECT place FROM tasks WHERE conversation_id = ? AND state NOT IN ('done', 'dead', 'failed')
       ORDER BY place LIMIT 1)`,
  )
  const conversations = new Set<string>()
  let count = 0
  for (const id of ids) {
    const row = erase.get(at, id)
    if (!row) continue
    count++
    conversations.add(String(row['conversation_id']))
    forgetAnswers.run(id)
    forgetDelivery.run(id)
    closeReply.run(id, at, Number(row['epoch']))
  }
  for (const conversation of conversations) moveUp.run(conversation)
  return count
}

/** The tasks of a conversation. */
export function tasksOf({ sqlite }: AssentDatabase, conversationId: string): string[] {
  return sqlite
    .prepare('SELECT id FROM tasks WHERE conversation_id = ?')
    .all(conversationId)
    .map(({ id }) => String(id))
}
