/**
 * `oldest` is how many migrations a process has to know to use the tables as they are now: one that knows fewer
 * than there are, and no fewer than these, goes on.
 */
export const SCHEMA_TABLE = `
  CREATE TABLE assent_schema (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    oldest INTEGER NOT NULL
  ) STRICT;
  INSERT INTO assent_schema (id, oldest) VALUES (1, 8);
`
