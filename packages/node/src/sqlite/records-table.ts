/**
 * The records of conversations. A value is JSON; names are as `encodeName` writes them, so that plain
 * SQL can read them: `SELECT value FROM conversation_records WHERE key = 'about'`.
 */
export const RECORDS_TABLE = `
  CREATE TABLE conversation_records (
    namespace TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (namespace, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX conversation_records_by_key ON conversation_records (key);
`
