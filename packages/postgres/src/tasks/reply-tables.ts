/**
 * What became of the replies of tasks. `reply` is JSON of all of it, as text is no place for what models
 * write (a U+0000); `null` once it was sent. `epoch` is that of the last claim which changed it: an
 * earlier one is refused.
 */
export const REPLY_TABLES = `
  create table assent.task_replies (
    task_id text collate "C" primary key,
    epoch bigint not null,
    state text not null check (state in ('pending', 'sending', 'sent')),
    reply json,
    updated_at bigint not null
  ) with (fillfactor = 70);
`

/**
 * Takes tasks away that were over before a time, with their replies, and the rows of conversations that
 * have none left. The conversations are locked first, as by who adds to them or ends a task: in a
 * statement of its own, so that those after it see what was added meanwhile.
 */
export const FORGET_TASKS = `
  create function assent.forget_tasks_v1(in_before bigint) returns bigint
  language plpgsql volatile as $$
  declare
    conversations text[];
    tasks text[];
  begin
    select array_agg(id) into conversations from (
      select id from assent.task_conversations where id in (
        select conversation_id from assent.tasks
        where state in ('done', 'failed') and updated_at < in_before)
      order by id for update) one;
    with gone as (
      delete from assent.tasks where conversation_id = any (conversations)
        and state in ('done', 'failed') and updated_at < in_before
      returning id)
    select array_agg(id) into tasks from gone;
    delete from assent.task_replies where task_id = any (tasks);
    delete from assent.task_conversations c where id = any (conversations)
      and not exists (select from assent.tasks t where t.conversation_id = c.id);
    return coalesce(cardinality(tasks), 0);
  end $$;
`

/**
 * Replies that did not go out at once. `place` is their order, `due_at` when one is tried again, or when the lease of
 * who tries it ends; null once it was given up. Whoever changes a reply as well locks that first.
 */
export const REPLY_DELIVERIES = `
  create table assent.task_deliveries (
    place bigint primary key generated always as identity,
    task_id text collate "C" not null unique references assent.task_replies (task_id) on delete cascade,
    conversation_id text collate "C" not null,
    waiting_since bigint not null,
    due_at bigint,
    failures integer not null,
    error json
  ) with (fillfactor = 70);
  create index task_deliveries_due on assent.task_deliveries (due_at) where due_at is not null;
  create index task_deliveries_waiting on assent.task_deliveries (conversation_id, place)
    where due_at is not null;
`
