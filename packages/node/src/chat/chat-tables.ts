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
