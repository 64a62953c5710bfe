/** What tells this database from another one, also from one that takes its place: made at random, once. */
export const LEDGER_STORE = `
  create table assent.ledger_store (
    one boolean primary key default true check (one),
    identity uuid not null default gen_random_uuid()
  );
  insert into assent.ledger_store default values;
`
