/**
 * The streams of answers, while they are written and for a while after. Times are milliseconds since the
 * epoch.
 *
 * - `streams` one row for each; `until` is the lease of the process that writes it, `last_seq` how far it
 *   had written at its last sign of life, `stop` why another process wants it to end
 * - `stream_events` what was written, some events to a row. It is unlogged: fast, and empty after a crash of
 *   the database, which readers notice since numbers are missing.
 * - `stream_readers` which processes read it
 */
export const STREAM_TABLES = `
  create table assent.streams (
    id bigint primary key generated always as identity,
    key text collate "C" not null,
    request_id text,
    writer text not null,
    is_latest boolean not null default true,
    until bigint not null,
    last_seq bigint not null default 0,
    stop text,
    ended text check (ended in ('ended', 'lost')),
    ended_at bigint,
    is_dropped boolean not null default false
  ) with (fillfactor = 70);
  create unique index streams_latest on assent.streams (key) where is_latest;
  create index streams_ended on assent.streams (ended_at) where ended is not null;

  create unlogged table assent.stream_events (
    stream_id bigint not null,
    seq bigint not null,
    data bytea not null,
    primary key (stream_id, seq)
  );

  create unlogged table assent.stream_readers (
    stream_id bigint not null,
    process text not null,
    until bigint not null,
    primary key (stream_id, process)
  );

  create function assent.open_stream_v1(
    in_key text, in_request_id text, in_writer text, in_lease_ms bigint
  ) returns bigint language plpgsql volatile as $$
  declare
    at bigint := assent.clock_v1();
    opened bigint;
  begin
    update assent.streams
      set is_latest = false, ended = coalesce(ended, 'lost'), ended_at = coalesce(ended_at, at)
      where key = in_key and is_latest and (ended is not null or until <= at);
    insert into assent.streams (key, request_id, writer, until)
      values (in_key, in_request_id, in_writer, assent.clock_v1() + in_lease_ms)
      on conflict (key) where is_latest do nothing returning id into opened;
    -- Who begins it reads it: nobody may take it for left before that is said.
    insert into assent.stream_readers (stream_id, process, until)
      select opened, in_writer, assent.clock_v1() + in_lease_ms where opened is not null;
    return opened;
  end $$;

  create function assent.append_events_v1(
    in_writer text, in_ids bigint[], in_seqs bigint[], in_data bytea[], in_bells text[]
  ) returns setof float8 language plpgsql volatile as $$
  begin
    -- Nothing of it outlives a crash of the database anyway.
    perform set_config('synchronous_commit', 'off', true);
    return query
      with alive as (
        select s.id from assent.streams s
        where s.id = any (in_ids) and s.writer = in_writer and s.ended is null
          and s.until > assent.clock_v1()
      ), added as (
        insert into assent.stream_events (stream_id, seq, data)
          select u.id, u.seq, u.data from unnest(in_ids, in_seqs, in_data) as u (id, seq, data)
            join alive using (id)
          on conflict do nothing
      )
      select id::float8 from alive;
    perform pg_notify('assent_streams', bell) from unnest(in_bells) as bell;
  end $$;

  create function assent.tidy_streams_v1(in_keep_ms bigint) returns void
  language plpgsql volatile as $$
  declare
    at bigint := assent.clock_v1();
  begin
    perform set_config('synchronous_commit', 'off', true);
    update assent.streams set ended = 'lost', ended_at = at
      where ended is null and until <= at - in_keep_ms;
    delete from assent.streams where ended is not null and ended_at <= at - in_keep_ms;
    delete from assent.stream_events e
      where not exists (select from assent.streams s where s.id = e.stream_id);
    delete from assent.stream_readers where until <= at;
  end $$;
`
