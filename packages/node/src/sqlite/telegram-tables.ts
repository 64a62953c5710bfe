/**
 * What the channel remembers. Times are milliseconds since the epoch.
 *
 * - `telegram_bots` from which update on Telegram is asked
 * - `telegram_updates` every update, so that it is taken in once; its JSON until it is dealt with
 * - `telegram_messages` the messages that became tasks, for limits, and for what is told of their end
 * - `telegram_asks` what people were asked and what they decided
 * - `telegram_replies` what of the replies went out
 * - `telegram_places` which conversation a chat is in, once it began a new one
 * - `telegram_drafts` the messages that show an answer that is being written
 * - `telegram_notices` what a chat was told that it need not hear again and again
 */
export const TELEGRAM_TABLES = `
  CREATE TABLE telegram_bots (
    bot_id INTEGER PRIMARY KEY,
    next_update_id INTEGER NOT NULL,
    last_update_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE telegram_updates (
    bot_id INTEGER NOT NULL,
    update_id INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    body TEXT,
    PRIMARY KEY (bot_id, update_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX telegram_updates_open ON telegram_updates (bot_id, update_id) WHERE body IS NOT NULL;

  CREATE TABLE telegram_messages (
    bot_id INTEGER NOT NULL,
    task_id TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    chat_id INTEGER NOT NULL,
    user_id INTEGER NOT NULL,
    message_id INTEGER NOT NULL,
    taken_at INTEGER NOT NULL,
    over_at INTEGER,
    PRIMARY KEY (bot_id, task_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX telegram_messages_by_chat ON telegram_messages (bot_id, chat_id, taken_at);
  CREATE INDEX telegram_messages_by_user ON telegram_messages (bot_id, user_id, taken_at);
  CREATE INDEX telegram_messages_open ON telegram_messages (bot_id, conversation_id, message_id)
    WHERE over_at IS NULL;
  CREATE INDEX telegram_messages_by_conversation
    ON telegram_messages (bot_id, conversation_id, message_id);

  CREATE TABLE telegram_asks (
    token TEXT PRIMARY KEY,
    bot_id INTEGER NOT NULL,
    chat_id INTEGER NOT NULL,
    task_id TEXT NOT NULL,
    call_key TEXT NOT NULL,
    round INTEGER NOT NULL,
    call_json TEXT NOT NULL,
    asked_at INTEGER NOT NULL,
    expires_at INTEGER,
    message_id INTEGER,
    confirming_by INTEGER,
    decision_json TEXT,
    delivered_at INTEGER,
    over_at INTEGER,
    UNIQUE (bot_id, task_id, call_key, round)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX telegram_asks_open ON telegram_asks (bot_id, asked_at) WHERE over_at IS NULL;
  CREATE INDEX telegram_asks_by_message ON telegram_asks (bot_id, chat_id, message_id);

  CREATE TABLE telegram_replies (
    bot_id INTEGER NOT NULL,
    task_id TEXT NOT NULL,
    digest TEXT NOT NULL,
    sent_parts INTEGER NOT NULL,
    is_sending INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (bot_id, task_id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE telegram_notices (
    bot_id INTEGER NOT NULL,
    chat_id INTEGER NOT NULL,
    kind TEXT NOT NULL,
    told_at INTEGER NOT NULL,
    PRIMARY KEY (bot_id, chat_id, kind)
  ) STRICT, WITHOUT ROWID;
`

/** Which conversation a chat, or a topic of it, is in, where it is not the first one. */
export const TELEGRAM_PLACES = `
  CREATE TABLE telegram_places (
    bot_id INTEGER NOT NULL,
    place TEXT NOT NULL,
    chat_id INTEGER NOT NULL,
    conversation_id TEXT NOT NULL,
    message_id INTEGER NOT NULL,
    PRIMARY KEY (bot_id, place)
  ) STRICT, WITHOUT ROWID;
`

/** Chats that have another number by now. */
export const TELEGRAM_MOVES = `
  CREATE TABLE telegram_moves (
    bot_id INTEGER NOT NULL,
    chat_id INTEGER NOT NULL,
    moved_to INTEGER NOT NULL,
    PRIMARY KEY (bot_id, chat_id)
  ) STRICT, WITHOUT ROWID;
`

/** Messages that show an answer that is being written: what a process leaves, the next one takes away. */
export const TELEGRAM_DRAFTS = `
  CREATE TABLE telegram_drafts (
    bot_id INTEGER NOT NULL,
    task_id TEXT NOT NULL,
    chat_id INTEGER NOT NULL,
    message_id INTEGER NOT NULL,
    PRIMARY KEY (bot_id, task_id)
  ) STRICT, WITHOUT ROWID;
`
