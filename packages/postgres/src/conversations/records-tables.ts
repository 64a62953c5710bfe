/**
 * The records of conversations, and who holds one. Names are as `encodeName` writes them, so that plain
 * SQL can read them: `select namespace, value from assent.records where key = 'about'`. A value is
 * `json`, which keeps its text as it is; `jsonb` would refuse parts of what models write.
 *
 * - `numbers` the numbers at the top of a value: `value ->> 'x'` fails where its rest has a `\u0000`
 * - the row of a lease stays when it is let go (`owner` is null then): its token only ever grows
 */
export const RECORDS_TABLES = `
  create table assent.records (
    namespace text collate "C" not null,
    key text collate "C" not null,
    value json not null,
    numbers jsonb,
    primary key (namespace, key)
  );
  create index records_by_key on assent.records (key, namespace);

  create table assent.leases (
    namespace text collate "C" primary key,
    owner text,
    token bigint not null,
    expires_at bigint not null,
    is_taken_over boolean not null default false
  ) with (fillfactor = 70);

  create function assent.pass_fence_v1(in_namespace text, in_token bigint) returns bigint
  language plpgsql volatile as $$
  declare
    greatest_token bigint;
  begin
    -- Nobody takes the namespace over until this transaction is over.
    select token into greatest_token from assent.leases where namespace = in_namespace for share;
    if greatest_token is null or greatest_token < in_token then
      insert into assent.leases as l (namespace, token, expires_at) values (in_namespace, in_token, 0)
        on conflict (namespace) do update
        set token = excluded.token, owner = null, expires_at = 0
        where l.token < excluded.token;
      select token into greatest_token from assent.leases where namespace = in_namespace for share;
    end if;
    return greatest_token;
  end $$;

  create function assent.raise_fence_v1(in_namespace text) returns bigint language sql volatile as $$
    insert into assent.leases as l (namespace, token, expires_at) values (in_namespace, 1, 0)
      on conflict (namespace) do update set token = l.token + 1, owner = null, expires_at = 0
      returning token
  $$;

  create function assent.write_records_v1(
    in_namespace text, in_keys text[], in_values text[], in_numbers text[], in_removed text[],
    in_claim_key text, in_claim_expected text, in_claim_id text, in_token bigint, in_is_strict boolean,
    out outcome text, out held text, out fence bigint
  ) language plpgsql volatile as $$
  declare
    touched integer;
  begin
    if not in_is_strict then
      perform set_config('synchronous_commit', 'off', true);
    elsif current_setting('synchronous_commit') = 'off' then
      perform set_config('synchronous_commit', 'on', true);
    end if;
    outcome := 'written';
    if in_token is not null then
      fence := assent.pass_fence_v1(in_namespace, in_token);
      if fence > in_token then
        outcome := 'fenced';
        return;
      end if;
    end if;
    if in_claim_key is not null then
      if in_claim_expected is null then
        insert into assent.records (namespace, key, value)
          values (in_namespace, in_claim_key, in_claim_id::json) on conflict do nothing;
      else
        update assent.records set value = in_claim_id::json, numbers = null
          where namespace = in_namespace and key = in_claim_key and value::text = in_claim_expected;
      end if;
      get diagnostics touched = row_count;
      if touched = 0 then
        outcome := 'taken';
        select value::text into held from assent.records
          where namespace = in_namespace and key = in_claim_key;
        return;
      end if;
      outcome := 'claimed';
    end if;
    if cardinality(in_removed) > 0 then
      delete from assent.records where namespace = in_namespace and key = any (in_removed);
    end if;
    -- In the order of the keys, so that two writers do not wait for each other.
    insert into assent.records (namespace, key, value, numbers)
      select in_namespace, k, v::json, n::jsonb
        from unnest(in_keys, in_values, in_numbers) as one (k, v, n) order by k collate "C"
      on conflict (namespace, key) do update set value = excluded.value, numbers = excluded.numbers;
  end $$;

  create function assent.remove_records_v1(in_namespace text, in_token bigint, out fence bigint)
  language plpgsql volatile as $$
  begin
    if in_token is not null then
      fence := assent.pass_fence_v1(in_namespace, in_token);
      if fence > in_token then
        return;
      end if;
    end if;
    delete from assent.records where namespace = in_namespace;
  end $$;
`
