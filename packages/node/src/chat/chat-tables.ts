/** The approvals that a chat handler has seen, and how their calls ended. */
export const CHAT_TABLES = `
CREATE TABLE chat_approvals (
  approval_id TEXT PRIMARY KEY,
  approved INTEGER NOT NULL CHECK (approved IN (0, 1)),
  run TEXT CHECK (run IN ('begun', 'done', 'failed')),
  output_json TEXT,
  error_text TEXT,
  decided_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX chat_approvals_decided ON chat_approvals (decided_at);
`

/** The same by user, conversation and call, with the leases of runs. */
export const APPROVAL_LEDGER = `
CREATE TABLE approval_ledger (
  approval_id TEXT NOT NULL,
  scope TEXT NOT NULL,
  state TEXT NOT NULL CHECK (
    state IN ('denied', 'approved', 'running', 'done', 'failed', 'unknown', 'expired')
  ),
  holder TEXT,
  lease_until INTEGER,
  output_json TEXT,
  error_text TEXT,
  decided_at INTEGER NOT NULL,
  PRIMARY KEY (approval_id, scope)
) STRICT, WITHOUT ROWID;
CREATE INDEX approval_ledger_decided ON approval_ledger (decided_at);
INSERT INTO approval_ledger (approval_id, scope, state, output_json, error_text, decided_at)
  SELECT approval_id, '',
    CASE WHEN approved = 0 THEN 'denied' WHEN run IS NULL THEN 'approved'
      WHEN run = 'begun' THEN 'unknown' ELSE run END,
    output_json, error_text, decided_at
  FROM chat_approvals;
DROP TABLE chat_approvals;
`

/** Who decided. */
export const DECIDERS = 'ALTER TABLE approval_ledger ADD COLUMN decided_by TEXT'

/** Calls that nobody was asked about, and how much time has passed, by no single clock. */
export const UNASKED_RUNS = `
ALTER TABLE approval_ledger ADD COLUMN lease_ms INTEGER;
ALTER TABLE approval_ledger ADD COLUMN asked_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE approval_ledger ADD COLUMN noted_at INTEGER NOT NULL DEFAULT 0;
UPDATE approval_ledger SET asked_at = decided_at;
DROP INDEX approval_ledger_decided;
ALTER TABLE approval_ledger DROP COLUMN decided_at;
CREATE INDEX approval_ledger_noted ON approval_ledger (noted_at);
CREATE TABLE ledger_mark (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  latest_at INTEGER NOT NULL,
  passed_ms INTEGER NOT NULL,
  forgotten_before INTEGER NOT NULL
) STRICT;
INSERT INTO ledger_mark VALUES (1, 0, 0, 0);
CREATE TABLE latest_answer (
  conversation TEXT PRIMARY KEY,
  answer_id TEXT NOT NULL,
  noted_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX latest_answer_noted ON latest_answer (noted_at);
CREATE TABLE untold_run (
  place INTEGER PRIMARY KEY,
  conversation TEXT NOT NULL,
  approval_id TEXT NOT NULL,
  scope TEXT NOT NULL,
  run_json TEXT NOT NULL,
  noted_at INTEGER NOT NULL,
  UNIQUE (approval_id, scope)
) STRICT;
CREATE INDEX untold_run_conversation ON untold_run (conversation, place);
CREATE INDEX untold_run_noted ON untold_run (noted_at);
`

/** What tells this file from another one, also from one that takes its place: made at random, once. */
export const LEDGER_STORE = `
CREATE TABLE ledger_store (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  identity TEXT NOT NULL
) STRICT;
INSERT INTO ledger_store (id, identity) VALUES (1, lower(hex(randomblob(16))));
`
