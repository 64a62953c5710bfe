/**
 * - `current` how many of the migrations were made
 * - `oldest` how many a process has to know to use the tables as they are now
 *
 * A release adds tables, columns and functions; processes of the release before go on beside it. What
 * they used is taken away, and `oldest` raised, by a migration of a later release.
 *
 * `clock_v1()` is the one clock of all processes, in milliseconds since the epoch.
 */
export const VERSION_TABLE = `
  create table assent.version (
    one boolean primary key default true check (one),
    current integer not null,
    oldest integer not null
  );
  insert into assent.version (current, oldest) values (0, 0);

  create function assent.clock_v1() returns bigint language sql volatile as $$
    select floor(extract(epoch from clock_timestamp()) * 1000)::bigint
  $$;
`
