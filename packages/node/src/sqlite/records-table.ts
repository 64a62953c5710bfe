/**
 * The records of conversations, and who holds one. Names are as `encodeName` writes them, so that plain
 * SQL can read them: `SELECT namespace, value FROM conversation_records WHERE key = 'about'`. A value
 * is JSON. The row of a lease stays when it is let go (`owner` is NULL then), so that its epoch only
 * ever grows.
 */
export const RECORDS_TABLE = `
  CREATE TABLE conversation_records (
    namespace TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (namespace, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX conversation_records_by_key ON conversation_records (key);

  CREATE TABLE conversation_leases (
    conversation_id TEXT NOT NULL PRIMARY KEY,
    owner TEXT,
    epoch INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`

/** A lease is of a namespace, and its epoch is the token that writes into it are compared with. */
export const NAMESPACE_LEASES = `
  ALTER TABLE conversation_leases RENAME COLUMN conversation_id TO namespace;
  UPDATE conversation_leases SET namespace = 'conversation/' || namespace;
`
