/**
 * What was done, by whom and when: one chain for all processes. Each entry has the hash of the one before it,
 * `audit_head` says which one is the last, and whoever writes holds that row. Nothing is ever changed but that
 * a `body` is erased: the payload has its hash.
 *
 * Names and texts are as in SQLite; `output_json` and `error_json` are JSON, as a text cannot have every
 * character here. `owner` and `who` are those of the body, and compared with it when the audit is verified.
 */
export const AUDIT_TABLES = `
  create table assent.audit_entries (
    seq bigint primary key,
    at bigint not null,
    kind text collate "C" not null,
    payload text not null,
    body text,
    erased_at bigint,
    prev_hash text not null,
    hash text not null,
    owner text collate "C",
    who text collate "C",
    conversation_id text collate "C" generated always as (payload::json ->> 'conversationId') stored,
    task_id text collate "C" generated always as (payload::json ->> 'taskId') stored,
    call_id text collate "C" generated always as (payload::json ->> 'callId') stored,
    decision_id text collate "C" generated always as (payload::json ->> 'decisionId') stored,
    tool_name text collate "C" generated always as (payload::json ->> 'toolName') stored,
    phase text collate "C" generated always as (payload::json ->> 'phase') stored
  );
  create index audit_entries_by_kind on assent.audit_entries (kind, seq);
  create index audit_entries_by_phase on assent.audit_entries (phase, seq) where kind = 'call';
  create index audit_entries_by_time on assent.audit_entries (at);
  create index audit_entries_by_tool on assent.audit_entries (tool_name, seq) where tool_name is not null;
  create index audit_entries_by_task on assent.audit_entries (task_id, seq) where task_id is not null;
  create index audit_entries_by_conversation on assent.audit_entries (conversation_id, seq)
    where conversation_id is not null;
  create index audit_entries_by_call on assent.audit_entries (call_id, seq) where kind = 'call';
  create index audit_entries_by_owner on assent.audit_entries (owner) where owner is not null;
  create index audit_entries_by_who on assent.audit_entries (who) where who is not null;
  create unique index audit_entries_by_decision on assent.audit_entries (decision_id)
    where decision_id is not null;

  create table assent.audit_head (
    one boolean primary key default true check (one),
    seq bigint not null,
    hash text not null
  );
  insert into assent.audit_head (seq, hash) values (0, repeat('0', 64));

  create function assent.keep_audit_v1() returns trigger language plpgsql as $$
  begin
    if tg_op = 'UPDATE' and old.body is not null and new.body is null and new.erased_at is not null
      and (new.seq, new.at, new.kind, new.payload, new.prev_hash, new.hash)
        = (old.seq, old.at, old.kind, old.payload, old.prev_hash, old.hash) then
      return new;
    end if;
    raise exception 'the audit is only added to';
  end $$;
  create trigger audit_entries_stay before update or delete on assent.audit_entries
    for each row execute function assent.keep_audit_v1();

  create table assent.tool_calls (
    seq bigint primary key,
    id text collate "C" not null unique,
    conversation_id text collate "C",
    task_id text collate "C",
    message_id text,
    step integer,
    tool_call_id text not null,
    tool_name text collate "C" not null,
    arguments_json text not null,
    status text collate "C" not null,
    outcome text,
    output_json text,
    error_json text,
    attempts integer not null,
    queued_at bigint not null,
    started_at bigint,
    finished_at bigint,
    erased_at bigint
  ) with (fillfactor = 70);
  create index tool_calls_by_status on assent.tool_calls (status, seq);
  create index tool_calls_by_tool on assent.tool_calls (tool_name, seq);
  create index tool_calls_by_task on assent.tool_calls (task_id) where task_id is not null;
  create index tool_calls_by_conversation on assent.tool_calls (conversation_id, status)
    where conversation_id is not null;
`
