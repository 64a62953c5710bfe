/**
 * What processes say to each other about conversations; nothing in it is needed for longer than a minute.
 *
 * - `conversation_channels` one row for each; `born` tells it from an earlier one of its name, `last_seq`
 *   counts what was said
 * - `channel_messages` the last of what was said
 * - `channel_members` which processes listen, until when without another sign of life
 */
export const CHANNEL_TABLES = `
  CREATE TABLE conversation_channels (
    channel TEXT NOT NULL PRIMARY KEY,
    born INTEGER NOT NULL,
    last_seq INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE channel_messages (
    channel TEXT NOT NULL,
    seq INTEGER NOT NULL,
    process TEXT NOT NULL,
    text TEXT NOT NULL,
    said_at INTEGER NOT NULL,
    PRIMARY KEY (channel, seq)
  ) STRICT;
  CREATE TABLE channel_members (
    channel TEXT NOT NULL,
    process TEXT NOT NULL,
    until INTEGER NOT NULL,
    PRIMARY KEY (channel, process)
  ) STRICT, WITHOUT ROWID;
`
