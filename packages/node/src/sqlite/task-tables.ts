/**
 * The tables of the inbox and of the worker. Times are milliseconds since the epoch.
 *
 * - `place` the order of tasks; a replayed one gets a new one, behind all others
 * - `is_next` whether it is the first of its conversation that is not over: only that one is claimed
 * - `claimable_at` when it is due, or when its lease ends; NULL while it is parked, and when it is over
 * - `seen_answer` the last answer that its claim has shown
 */
export const TASK_TABLES = `
  CREATE TABLE tasks (
    place INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    conversation_id TEXT NOT NULL,
    input_json TEXT NOT NULL,
    reply_to_json TEXT,
    state TEXT NOT NULL,
    is_next INTEGER NOT NULL,
    claimable_at INTEGER,
    attempts INTEGER NOT NULL DEFAULT 0,
    max_attempts INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    worker TEXT,
    epoch INTEGER NOT NULL DEFAULT 0,
    error_code TEXT,
    error_message TEXT,
    waiting_for_json TEXT,
    seen_answer INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE UNIQUE INDEX tasks_next ON tasks (conversation_id) WHERE is_next = 1;
  CREATE INDEX tasks_claimable ON tasks (claimable_at, place) WHERE is_next = 1;
  CREATE INDEX tasks_open ON tasks (conversation_id, place)
    WHERE state NOT IN ('done', 'dead', 'failed');
  CREATE INDEX tasks_by_conversation ON tasks (conversation_id, place);
  CREATE INDEX tasks_by_state ON tasks (state, place);

  CREATE TABLE task_answers (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    task_id TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
    answer_json TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX task_answers_by_task ON task_answers (task_id, number);

  CREATE TABLE task_replies (
    task_id TEXT PRIMARY KEY,
    state TEXT NOT NULL CHECK (state IN ('pending', 'sending', 'sent')),
    text TEXT NOT NULL,
    message_json TEXT,
    notice TEXT,
    updated_at INTEGER NOT NULL
  ) STRICT;
`

/** `epoch` is that of the last claim which changed a reply: an earlier one is refused. */
export const REPLY_EPOCHS = 'ALTER TABLE task_replies ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0'

/**
 * `alone_attempt` is the attempt that runs without any other task beside it, as one before it ended with
 * its worker; it counts as an attempt of that number only.
 */
export const LONE_ATTEMPTS = 'ALTER TABLE tasks ADD COLUMN alone_attempt INTEGER'

/** How long a lease lasts: with that it is known to have been given by a clock that was ahead. */
export const LEASE_LENGTHS = `
  ALTER TABLE tasks ADD COLUMN lease_ms INTEGER;
  ALTER TABLE conversation_leases ADD COLUMN lease_ms INTEGER;
`

/**
 * Replies that did not go out at once. `place` is their order, `due_at` when one is tried again, or when
 * the lease of who tries it ends; NULL once it was given up.
 */
export const REPLY_DELIVERIES = `
  CREATE TABLE task_deliveries (
    place INTEGER PRIMARY KEY,
    task_id TEXT NOT NULL UNIQUE REFERENCES task_replies (task_id) ON DELETE CASCADE,
    conversation_id TEXT NOT NULL,
    waiting_since INTEGER NOT NULL,
    due_at INTEGER,
    failures INTEGER NOT NULL,
    error_code TEXT,
    error_message TEXT
  ) STRICT;
  CREATE INDEX task_deliveries_due ON task_deliveries (due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX task_deliveries_waiting ON task_deliveries (conversation_id, place)
    WHERE due_at IS NOT NULL;
`
