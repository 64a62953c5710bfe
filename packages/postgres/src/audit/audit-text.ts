/**
 * Indexes by which a text is found among a million entries, and among as many calls. They need `pg_trgm`, which comes with
 * PostgreSQL: where it is missing, or may not be added, texts are looked for without. An audit that is large already is left
 * as it is: making an index would keep all who write waiting (`docs/postgres.md` says how to make it beside them).
 */
export const AUDIT_TEXT = `
  do $$
  declare
    ops text;
  begin
    if (select count(*) from (select from assent.audit_entries limit 50001) as counted) > 50000 then
      return;
    end if;
    begin
      create extension if not exists pg_trgm schema public;
    exception
      when insufficient_privilege or feature_not_supported or undefined_file or invalid_schema_name
        or undefined_object then
        return;
    end;
    select format('%I.gin_trgm_ops', n.nspname) into ops
      from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'pg_trgm';
    execute format('create index if not exists audit_entries_by_text on assent.audit_entries
      using gin (payload %1$s, body %1$s)', ops);
    execute format('create index if not exists tool_calls_by_text on assent.tool_calls
      using gin (arguments_json %1$s, output_json %1$s, error_json %1$s)', ops);
  end $$;
`
