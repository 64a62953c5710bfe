import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { IS_OPEN } from './task-rows.ts'

const SQL = {
  get: 'SELECT * FROM tasks WHERE id = ?',
  held: 'SELECT * FROM tasks WHERE id = ? AND worker = ? AND epoch = ?',
  anyOpen: `SELECT 1 FROM tasks INDEXED BY tasks_open WHERE conversation_id = ? AND ${IS_OPEN} LIMIT 1`,
  answers: 'SELECT answer_json FROM task_answers WHERE task_id = ? ORDER BY number',
  count: 'SELECT state, count(*) AS count FROM tasks GROUP BY state',
  nextDueAt: 'SELECT min(claimable_at) AS at FROM tasks WHERE is_next = 1',

  claimable: `
    SELECT * FROM tasks WHERE is_next = 1 AND claimable_at <= ?
    ORDER BY claimable_at, place LIMIT 1`,
  claim: `
    UPDATE tasks SET state = 'in_progress', worker = ?, claimable_at = ?, lease_ms = ?, epoch = epoch + 1,
      attempts = ?, alone_attempt = ?, updated_at = ?,
      seen_answer = coalesce((SELECT max(number) FROM task_answers WHERE task_id = tasks.id), 0)
    WHERE id = ? RETURNING *`,

  /** Those that a clock has leased which was ahead of now. */
  ahead: `
    SELECT id, claimable_at, lease_ms FROM tasks WHERE is_next = 1 AND claimable_at > ?
      AND worker IS NOT NULL AND claimable_at - lease_ms > ?`,
  endLease: `
    UPDATE tasks SET claimable_at = ? WHERE id = ? AND claimable_at = ? AND worker IS NOT NULL`,
  anyPutOff: `
    SELECT 1 FROM tasks WHERE is_next = 1 AND claimable_at > ? AND worker IS NULL
      AND (epoch > 0 OR claimable_at = created_at) AND updated_at > ? LIMIT 1`,
  /** What such a clock has put off is put off from now on; not what was added for a time of its own. */
  putOff: `
    UPDATE tasks SET claimable_at = ? + max(0, claimable_at - updated_at),
      due_at = ? + max(0, claimable_at - updated_at), updated_at = ?
    WHERE is_next = 1 AND claimable_at > ? AND worker IS NULL
      AND (epoch > 0 OR claimable_at = created_at) AND updated_at > ?`,

  add: `
    INSERT INTO tasks (place, id, conversation_id, input_json, reply_to_json, state, is_next,
      claimable_at, due_at, max_attempts, created_at, updated_at)
    VALUES ((SELECT coalesce(max(place), 0) + 1 FROM tasks), ?, ?, ?, ?, 'queued', ?, ?, ?, ?,
      ?, ?)`,
  heartbeat:
    'UPDATE tasks SET claimable_at = ?, lease_ms = ? WHERE id = ? AND worker = ? AND epoch = ?',
  vouch: `
    UPDATE tasks SET alone_attempt = NULL, attempts = min(attempts, ?)
    WHERE id = ? AND epoch = ? AND worker IS NOT NULL AND alone_attempt IS NOT NULL`,
  progress: 'UPDATE tasks SET state = ?, updated_at = ? WHERE id = ?',
  noteError: 'UPDATE tasks SET error_code = ?, error_message = ? WHERE id = ?',
  queue: `
    UPDATE tasks SET state = 'queued', worker = NULL, claimable_at = ?, due_at = ?, attempts = ?,
      updated_at = ?
    WHERE id = ?`,
  park: `
    UPDATE tasks SET state = 'parked', worker = NULL, claimable_at = NULL, waiting_for_json = ?,
      attempts = ?, updated_at = ?
    WHERE id = ?`,
  end: `
    UPDATE tasks SET state = ?, worker = NULL, claimable_at = NULL, is_next = 0, updated_at = ?,
      error_code = coalesce(?, error_code), error_message = coalesce(?, error_message),
      waiting_for_json = NULL
    WHERE id = ?`,
  moveUp: `
    UPDATE tasks SET is_next = 1 WHERE place = (
      SELECT place FROM tasks INDEXED BY tasks_open
        WHERE conversation_id = ? AND ${IS_OPEN} ORDER BY place LIMIT 1)`,
  replay: `
    UPDATE tasks SET state = 'queued', place = (SELECT max(place) + 1 FROM tasks), attempts = 0,
      alone_attempt = NULL, claimable_at = ?, due_at = ?, updated_at = ?
    WHERE id = ? AND state = 'dead' RETURNING *`,
  discard: "UPDATE tasks SET state = 'failed', updated_at = ? WHERE id = ? AND state = 'dead'",
  forgetReplies: `
    DELETE FROM task_replies WHERE task_id IN (
      SELECT id FROM tasks WHERE state IN ('done', 'failed') AND updated_at < ?)`,
  forget: "DELETE FROM tasks WHERE state IN ('done', 'failed') AND updated_at < ?",

  edit: "UPDATE tasks SET input_json = ?, updated_at = ? WHERE id = ? AND state = 'queued' AND epoch = 0",
  addAnswer: 'INSERT INTO task_answers (task_id, answer_json, created_at) VALUES (?, ?, ?)',
  forgetAnswers: 'DELETE FROM task_answers WHERE task_id = ? AND number <= ?',
} as const

/** What is asked of the tasks' tables, by name and ready to run. */
export type TaskStatements = (name: keyof typeof SQL) => StatementSync

export function taskStatements(sqlite: DatabaseSync): TaskStatements {
  const prepared = new Map<keyof typeof SQL, StatementSync>()
  return (name) => {
    const statement = prepared.get(name) ?? sqlite.prepare(SQL[name])
    prepared.set(name, statement)
    return statement
  }
}
