/**
 * Which processes are there: by the connection on which each hears of the others, which its system closes
 * when it dies. It is a sign of death only, and no sign of life: leases count as before, and end earlier
 * where the process that has them is seen to be gone.
 *
 * - `processes` unlogged: after a crash of the database nobody is taken for dead
 * - `leases.process` of its token only: a process of the release before does not write it
 * - `sweep_v1` ends what processes had whose connection has been gone for a while; it answers how many
 *
 * What a process still says that was taken for dead by mistake is refused, as after a lease.
 */
export const PROCESS_TABLES = `
  create unlogged table assent.processes (
    name text collate "C" primary key,
    session_pid integer not null,
    session_start timestamptz not null,
    lost_at bigint
  );

  alter table assent.leases add column process text collate "C", add column process_token bigint;
  create index leases_by_process on assent.leases (process);

  create function assent.sweep_v1(in_grace_ms bigint) returns integer language plpgsql volatile as $$
  declare
    at bigint := assent.clock_v1();
    one record;
    swept integer := 0;
  begin
    for one in
      select p.name, p.lost_at from assent.processes p
        where not exists (
          -- Of another role nothing but the number can be seen: that one counts as there.
          select from pg_stat_activity a where a.pid = p.session_pid
            and (a.backend_start is null or a.backend_start = p.session_start))
        for update of p skip locked
    loop
      if one.lost_at is null then
        update assent.processes set lost_at = at where name = one.name;
      elsif one.lost_at <= at - in_grace_ms then
        update assent.streams set until = 0
          where ended is null and split_part(writer, '/', 1) = one.name;
        update assent.leases set expires_at = 0
          where process = one.name and process_token = token and owner is not null;
        delete from assent.processes where name = one.name;
        swept := swept + 1;
      end if;
    end loop;
    return swept;
  end $$;
`
