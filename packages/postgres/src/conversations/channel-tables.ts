/**
 * What processes say to each other about conversations. Nothing in it is needed for longer than a minute,
 * or after a crash of the database: all of it is unlogged. Channels are named by hashes.
 *
 * - `channels` one row for each; `born` tells it from an earlier one of its name, `last_seq` counts what
 *   was said. Who says something has its row until that is there: numbers come in their order.
 * - `channel_messages` the last of what was said
 * - `channel_members` which processes listen, until when without another sign of life
 */
export const CHANNEL_TABLES = `
  create unlogged table assent.channels (
    channel text collate "C" primary key,
    born bigint not null,
    last_seq bigint not null default 0
  ) with (fillfactor = 70);

  create unlogged table assent.channel_messages (
    channel text collate "C" not null,
    seq bigint not null,
    process text not null,
    body text not null,
    said_at bigint not null,
    primary key (channel, seq)
  );

  create unlogged table assent.channel_members (
    channel text collate "C" not null,
    process text not null,
    until bigint not null,
    primary key (channel, process)
  ) with (fillfactor = 70);

  create function assent.join_channels_v1(in_process text, in_channels text[], in_ms bigint)
  returns void language plpgsql volatile as $$
  begin
    perform set_config('synchronous_commit', 'off', true);
    -- In one order, so that two processes do not wait for each other.
    insert into assent.channels (channel, born)
      select c, floor(random() * 9e15)::bigint from unnest(in_channels) as c order by c collate "C"
      on conflict do nothing;
    insert into assent.channel_members (channel, process, until)
      select c, in_process, assent.clock_v1() + in_ms
        from unnest(in_channels) as c order by c collate "C"
      on conflict (channel, process) do update set until = excluded.until;
  end $$;

  create function assent.say_on_channels_v1(
    in_process text, in_channels text[], in_bodies text[], in_bells text[]
  ) returns void language plpgsql volatile as $$
  declare
    one record;
    last bigint;
  begin
    perform set_config('synchronous_commit', 'off', true);
    for one in
      select channel, array_agg(body order by place) as bodies
        from unnest(in_channels, in_bodies) with ordinality as u (channel, body, place)
        group by channel order by channel collate "C"
    loop
      insert into assent.channels as c (channel, born, last_seq)
        values (one.channel, floor(random() * 9e15)::bigint, cardinality(one.bodies))
        on conflict (channel) do update set last_seq = c.last_seq + excluded.last_seq
        returning last_seq into last;
      insert into assent.channel_messages (channel, seq, process, body, said_at)
        select one.channel, last - cardinality(one.bodies) + n, in_process, body, assent.clock_v1()
          from unnest(one.bodies) with ordinality as u (body, n);
    end loop;
    perform pg_notify('assent_channels', bell) from unnest(in_bells) as bell;
  end $$;

  create function assent.tidy_channels_v1(in_keep_ms bigint) returns void
  language plpgsql volatile as $$
  declare
    at bigint := assent.clock_v1();
  begin
    perform set_config('synchronous_commit', 'off', true);
    delete from assent.channel_messages where said_at <= at - in_keep_ms;
    delete from assent.channel_members where until <= at - in_keep_ms;
    delete from assent.channels c
      where not exists (select from assent.channel_members m where m.channel = c.channel);
  end $$;
`
