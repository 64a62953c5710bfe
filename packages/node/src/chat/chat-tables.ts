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
