/**
 * What was said in an entry is kept beside it, so that it can be erased: the payload has its hash. Only that
 * may be done to an entry. `owner` and `who` are read from the body, and gone with it.
 *
 * `audit_text` finds a text by its parts of three letters, without keeping the text once more.
 */
export const AUDIT_BODIES = `
  ALTER TABLE audit_entries ADD COLUMN body TEXT;
  ALTER TABLE audit_entries ADD COLUMN erased_at INTEGER;
  ALTER TABLE audit_entries ADD COLUMN owner TEXT AS (body ->> '$.owner');
  ALTER TABLE audit_entries ADD COLUMN who TEXT AS (body ->> '$.who');
  ALTER TABLE tool_calls ADD COLUMN erased_at INTEGER;

  DROP INDEX audit_entries_by_kind;
  CREATE INDEX audit_entries_by_kind ON audit_entries (kind);
  CREATE INDEX audit_entries_by_phase ON audit_entries (phase) WHERE kind = 'call';
  CREATE INDEX audit_entries_by_time ON audit_entries (at);
  CREATE INDEX audit_entries_by_owner ON audit_entries (owner) WHERE owner IS NOT NULL;
  CREATE INDEX audit_entries_by_who ON audit_entries (who) WHERE who IS NOT NULL;

  DROP TRIGGER audit_entries_stay;
  CREATE TRIGGER audit_entries_stay BEFORE UPDATE ON audit_entries
    WHEN OLD.body IS NULL OR NEW.body IS NOT NULL OR NEW.erased_at IS NULL
      OR NEW.seq <> OLD.seq OR NEW.at <> OLD.at OR NEW.kind <> OLD.kind
      OR NEW.payload <> OLD.payload OR NEW.prev_hash <> OLD.prev_hash OR NEW.hash <> OLD.hash
    BEGIN SELECT RAISE(ABORT, 'the audit is only added to'); END;

  CREATE VIRTUAL TABLE audit_text USING fts5(
    payload, body, content = 'audit_entries', content_rowid = 'seq', tokenize = 'trigram', detail = none
  );
  INSERT INTO audit_text (audit_text, rank) VALUES ('secure-delete', 1);
  INSERT INTO audit_text (audit_text) VALUES ('rebuild');
  CREATE TRIGGER audit_entries_found AFTER INSERT ON audit_entries
    BEGIN INSERT INTO audit_text (rowid, payload, body) VALUES (NEW.seq, NEW.payload, NEW.body); END;
  CREATE TRIGGER audit_entries_erased AFTER UPDATE ON audit_entries BEGIN
    INSERT INTO audit_text (audit_text, rowid, payload, body)
      VALUES ('delete', OLD.seq, OLD.payload, OLD.body);
    INSERT INTO audit_text (rowid, payload, body) VALUES (NEW.seq, NEW.payload, NEW.body);
  END;

  DROP VIEW task_audit;
  DROP VIEW tool_decisions;
  CREATE VIEW task_audit AS
    SELECT seq, task_id, conversation_id, phase,
      coalesce(body ->> '$.message', payload ->> '$.message') AS message, at AS created_at
    FROM audit_entries WHERE kind = 'task';
  CREATE VIEW tool_decisions AS
    SELECT seq, decision_id AS id, conversation_id, call_id, tool_name,
      payload ->> '$.outcome' AS outcome, coalesce(who, payload ->> '$.who') AS who,
      coalesce(body ->> '$.reason', payload ->> '$.reason') AS reason,
      coalesce(body -> '$.scope', payload -> '$.scope') AS scope_json,
      payload ->> '$.revokes' AS revokes, payload ->> '$.decidedAt' AS decided_at
    FROM audit_entries WHERE kind = 'decision';

  CREATE INDEX tasks_by_worker ON tasks (worker) WHERE worker IS NOT NULL;
`
