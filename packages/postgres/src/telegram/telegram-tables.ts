/**
 * What the channels of Telegram remember. Times are milliseconds since the epoch.
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
  create table assent.telegram_bots (
    bot_id bigint primary key,
    next_update_id bigint not null,
    last_update_at bigint not null
  );

  create table assent.telegram_updates (
    bot_id bigint not null,
    update_id bigint not null,
    received_at bigint not null,
    body json,
    primary key (bot_id, update_id)
  );
  create index telegram_updates_open on assent.telegram_updates (bot_id, received_at, update_id)
    where body is not null;

  create table assent.telegram_messages (
    bot_id bigint not null,
    task_id text collate "C" not null,
    conversation_id text collate "C" not null,
    chat_id bigint not null,
    user_id bigint not null,
    message_id bigint not null,
    taken_at bigint not null,
    over_at bigint,
    primary key (bot_id, task_id)
  );
  create index telegram_messages_by_chat on assent.telegram_messages (bot_id, chat_id, taken_at);
  create index telegram_messages_by_user on assent.telegram_messages (bot_id, user_id, taken_at);
  create index telegram_messages_open on assent.telegram_messages (bot_id, conversation_id, message_id)
    where over_at is null;
  create index telegram_messages_by_conversation
    on assent.telegram_messages (bot_id, conversation_id, message_id);

  create table assent.telegram_asks (
    token text collate "C" primary key,
    bot_id bigint not null,
    chat_id bigint not null,
    task_id text collate "C" not null,
    call_key text collate "C" not null,
    round integer not null,
    call json not null,
    asked_at bigint not null,
    expires_at bigint,
    message_id bigint,
    confirming_by bigint,
    decision json,
    delivered_at bigint,
    over_at bigint,
    unique (bot_id, task_id, call_key, round)
  );
  create index telegram_asks_open on assent.telegram_asks (bot_id, asked_at) where over_at is null;
  create index telegram_asks_by_message on assent.telegram_asks (bot_id, chat_id, message_id);

  create table assent.telegram_replies (
    bot_id bigint not null,
    task_id text collate "C" not null,
    digest text not null,
    sent_parts integer not null,
    is_sending boolean not null,
    updated_at bigint not null,
    primary key (bot_id, task_id)
  ) with (fillfactor = 70);

  create table assent.telegram_notices (
    bot_id bigint not null,
    chat_id bigint not null,
    kind text not null,
    told_at bigint not null,
    primary key (bot_id, chat_id, kind)
  );
`

/** Which conversation a chat, or a topic of it, is in, where it is not the first one. */
export const TELEGRAM_PLACES = `
  create table assent.telegram_places (
    bot_id bigint not null,
    place text collate "C" not null,
    chat_id bigint not null,
    conversation_id text collate "C" not null,
    message_id bigint not null,
    primary key (bot_id, place)
  );
`

/** Chats that have another number by now. */
export const TELEGRAM_MOVES = `
  create table assent.telegram_moves (
    bot_id bigint not null,
    chat_id bigint not null,
    moved_to bigint not null,
    primary key (bot_id, chat_id)
  );
`

/** Messages that show an answer that is being written: what a process leaves, the next one takes away. */
export const TELEGRAM_DRAFTS = `
  create table assent.telegram_drafts (
    bot_id bigint not null,
    task_id text collate "C" not null,
    chat_id bigint not null,
    message_id bigint not null,
    primary key (bot_id, task_id)
  );
`
