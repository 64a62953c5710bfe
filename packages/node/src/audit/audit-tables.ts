/**
 * What was done, by whom and when; nothing of it is ever changed. Each entry holds the hash of the one
 * before it, and `audit_head` says which one is the last. The columns behind `hash` are read from the
 * payload itself, so they cannot say anything else.
 *
 * `tool_calls` has how far each call has come, written in the transaction of the entry that says so
 * and compared with the entries when the log is verified; `task_audit` and `tool_decisions` are views.
 * Names are as `encodeName` writes them, times are milliseconds since the epoch.
 */
export const AUDIT_TABLES = `
  CREATE TABLE audit_entries (
    seq INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    payload TEXT NOT NULL,
    prev_hash TEXT NOT NULL,
    hash TEXT NOT NULL,
    conversation_id TEXT AS (payload ->> '$.conversationId'),
    task_id TEXT AS (payload ->> '$.taskId'),
    call_id TEXT AS (payload ->> '$.callId'),
    decision_id TEXT AS (payload ->> '$.decisionId'),
    tool_name TEXT AS (payload ->> '$.toolName'),
    phase TEXT AS (payload ->> '$.phase')
  ) STRICT;
  CREATE INDEX audit_entries_by_kind ON audit_entries (kind, phase);
  CREATE INDEX audit_entries_by_tool ON audit_entries (tool_name) WHERE tool_name IS NOT NULL;
  CREATE INDEX audit_entries_by_task ON audit_entries (task_id, kind) WHERE task_id IS NOT NULL;
  CREATE INDEX audit_entries_by_conversation ON audit_entries (conversation_id)
    WHERE conversation_id IS NOT NULL;
  CREATE INDEX audit_entries_by_call ON audit_entries (call_id, seq) WHERE kind = 'call';
  CREATE UNIQUE INDEX audit_entries_by_decision ON audit_entries (decision_id)
    WHERE decision_id IS NOT NULL;

  CREATE TABLE audit_head (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    seq INTEGER NOT NULL,
    hash TEXT NOT NULL
  ) STRICT;
  INSERT INTO audit_head VALUES (1, 0, '${'0'.repeat(64)}');

  CREATE TRIGGER audit_entries_follow BEFORE INSERT ON audit_entries
    WHEN NOT EXISTS (
      SELECT 1 FROM audit_head WHERE seq = NEW.seq - 1 AND hash = NEW.prev_hash
    )
    BEGIN SELECT RAISE(ABORT, 'an entry of the audit follows the last one'); END;
  CREATE TRIGGER audit_entries_lead AFTER INSERT ON audit_entries
    BEGIN UPDATE audit_head SET seq = NEW.seq, hash = NEW.hash; END;
  CREATE TRIGGER audit_entries_stay BEFORE UPDATE ON audit_entries
    BEGIN SELECT RAISE(ABORT, 'the audit is only added to'); END;
  CREATE TRIGGER audit_entries_remain BEFORE DELETE ON audit_entries
    BEGIN SELECT RAISE(ABORT, 'the audit is only added to'); END;
  CREATE TRIGGER audit_head_single BEFORE INSERT ON audit_head
    BEGIN SELECT RAISE(ABORT, 'the audit has one last entry'); END;
  CREATE TRIGGER audit_head_advance BEFORE UPDATE ON audit_head
    WHEN NOT EXISTS (SELECT 1 FROM audit_entries WHERE seq = NEW.seq AND hash = NEW.hash)
      OR NEW.seq <> OLD.seq + 1
    BEGIN SELECT RAISE(ABORT, 'the audit is only added to'); END;
  CREATE TRIGGER audit_head_remain BEFORE DELETE ON audit_head
    BEGIN SELECT RAISE(ABORT, 'the audit is only added to'); END;

  CREATE TABLE tool_calls (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    conversation_id TEXT,
    task_id TEXT,
    message_id TEXT,
    step INTEGER,
    tool_call_id TEXT NOT NULL,
    tool_name TEXT NOT NULL,
    arguments_json TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'done', 'failed')),
    outcome TEXT,
    output_text TEXT,
    error TEXT,
    attempts INTEGER NOT NULL,
    queued_at INTEGER NOT NULL,
    started_at INTEGER,
    finished_at INTEGER
  ) STRICT;
  CREATE INDEX tool_calls_by_status ON tool_calls (status);
  CREATE INDEX tool_calls_by_tool ON tool_calls (tool_name);
  CREATE INDEX tool_calls_by_task ON tool_calls (task_id) WHERE task_id IS NOT NULL;
  CREATE INDEX tool_calls_by_conversation ON tool_calls (conversation_id, status)
    WHERE conversation_id IS NOT NULL;

  CREATE VIEW task_audit AS
    SELECT seq, task_id, conversation_id, phase, payload ->> '$.message' AS message,
      at AS created_at
    FROM audit_entries WHERE kind = 'task';
  CREATE VIEW tool_decisions AS
    SELECT seq, decision_id AS id, conversation_id, call_id, tool_name,
      payload ->> '$.outcome' AS outcome, payload ->> '$.who' AS who,
      payload ->> '$.reason' AS reason, payload -> '$.scope' AS scope_json,
      payload ->> '$.revokes' AS revokes, payload ->> '$.decidedAt' AS decided_at
    FROM audit_entries WHERE kind = 'decision';
`
