/**
 * What became of the calls of a server. Times are milliseconds since the epoch.
 *
 * - `approvals` a row for each call that was decided or claimed, by its question and by user,
 *   conversation and call (`scope`). Its `state` is `approved` until one claims it: an update of one row,
 *   so that one does. `ended` has an `outcome`.
 * - `latest_answers` which answer of a conversation may claim calls that nobody is asked about
 * - `untold_runs` those of which no page knows yet
 * - `ledger_mark` what the ledger has seen of time. It counts for itself how much has passed, so that a
 *   clock that jumps makes nothing forgotten too early; and what was asked before `forgotten_before` may
 *   have been forgotten, so that it is never claimed.
 */
export const LEDGER_TABLES = `
  create table assent.approvals (
    approval_id text collate "C" not null,
    scope text collate "C" not null,
    state text not null check (
      state in ('denied', 'approved', 'running', 'ended', 'unknown', 'expired')
    ),
    holder text,
    lease_until bigint,
    lease_ms bigint,
    outcome json,
    asked_at bigint not null,
    noted_at bigint not null,
    primary key (approval_id, scope)
  ) with (fillfactor = 70);
  create index approvals_noted on assent.approvals (noted_at);

  create table assent.latest_answers (
    conversation text collate "C" primary key,
    answer_id text not null,
    noted_at bigint not null
  ) with (fillfactor = 70);
  create index latest_answers_noted on assent.latest_answers (noted_at);

  create table assent.untold_runs (
    place bigint primary key generated always as identity,
    conversation text collate "C" not null,
    approval_id text collate "C" not null,
    scope text collate "C" not null,
    run json not null,
    noted_at bigint not null,
    unique (approval_id, scope)
  );
  create index untold_runs_by_conversation on assent.untold_runs (conversation, place);
  create index untold_runs_noted on assent.untold_runs (noted_at);

  create table assent.ledger_mark (
    one boolean primary key default true check (one),
    latest_at bigint not null,
    passed_ms bigint not null,
    forgotten_before bigint not null
  );
`

/** What reads and changes the ledger, a function for each step: one round trip, and one transaction. */
export const LEDGER_FUNCTIONS = `
  create function assent.tidy_ledger_v1(in_keep_ms bigint) returns bigint
  language plpgsql volatile as $$
  declare
    at bigint := assent.clock_v1();
    rest_ms bigint := least(60000, in_keep_ms / 10);
    hour_ms constant bigint := 3600000;
    day_ms constant bigint := 86400000;
    mark assent.ledger_mark;
    last_asked bigint;
  begin
    insert into assent.ledger_mark (latest_at, passed_ms, forgotten_before)
      select at, 0, 0 where not exists (select from assent.ledger_mark) on conflict do nothing;
    select * into mark from assent.ledger_mark;
    -- Once a minute is enough, and by one: nobody waits for it.
    if at between mark.latest_at - day_ms and mark.latest_at + rest_ms then
      return mark.passed_ms;
    end if;
    perform from assent.ledger_mark where latest_at = mark.latest_at for update skip locked;
    if not found then
      return mark.passed_ms;
    end if;
    mark.passed_ms := mark.passed_ms + least(greatest(at - mark.latest_at, 0), hour_ms);
    -- A clock a day behind was wrong before, or time would stand still.
    mark.latest_at := at;
    select max(asked_at) into last_asked from assent.approvals
      where noted_at < mark.passed_ms - in_keep_ms and asked_at < at - in_keep_ms;
    -- Before they are deleted: who finds them gone knows that they may have been there.
    update assent.ledger_mark
      set latest_at = mark.latest_at, passed_ms = mark.passed_ms,
        forgotten_before = greatest(forgotten_before, last_asked + 1);
    delete from assent.approvals
      where noted_at < mark.passed_ms - in_keep_ms and asked_at < at - in_keep_ms
        and asked_at <= last_asked;
    delete from assent.untold_runs where noted_at < mark.passed_ms - in_keep_ms;
    delete from assent.latest_answers where noted_at < mark.passed_ms - in_keep_ms;
    return mark.passed_ms;
  end $$;

  create function assent.note_approval_v1(
    in_approval_id text, in_scope text, in_state text, in_asked_at bigint, in_keep_ms bigint
  ) returns void language plpgsql volatile as $$
  declare
    passed_ms bigint := assent.tidy_ledger_v1(in_keep_ms);
  begin
    insert into assent.approvals (approval_id, scope, state, asked_at, noted_at)
      values (in_approval_id, in_scope, in_state, coalesce(in_asked_at, 0), passed_ms)
      on conflict do nothing;
    -- Looked at once the row is there: what is forgotten from now on is not this one.
    if found and in_asked_at < (select forgotten_before from assent.ledger_mark) then
      update assent.approvals set state = 'unknown'
        where approval_id = in_approval_id and scope = in_scope;
    end if;
  end $$;

  create function assent.look_approval_v1(in_approval_id text, in_scope text)
  returns table (status text, outcome text) language sql volatile as $$
    select
      case when a.state <> 'running' then a.state
        -- A clock that went back would leave a run that is over under way for as long as it went.
        when a.lease_until - assent.clock_v1() between 1 and a.lease_ms + 60000 then 'running'
        else 'unknown'
      end, a.outcome::text
    from assent.approvals a where a.approval_id = in_approval_id and a.scope = in_scope
  $$;

  create function assent.decide_approval_v1(
    in_approval_id text, in_scope text, in_is_approved boolean, in_asked_at bigint, in_keep_ms bigint
  ) returns boolean language plpgsql volatile as $$
  begin
    perform assent.note_approval_v1(in_approval_id, in_scope,
      case when in_is_approved then 'approved' else 'denied' end, in_asked_at, in_keep_ms);
    if not in_is_approved then
      update assent.approvals set state = 'denied'
        where approval_id = in_approval_id and scope = in_scope and state in ('approved', 'expired');
    end if;
    return (select state <> 'denied' from assent.approvals
      where approval_id = in_approval_id and scope = in_scope);
  end $$;

  create function assent.claim_approval_v1(
    in_approval_id text, in_scope text, in_holder text, in_lease_ms bigint, in_asked_at bigint,
    in_keep_ms bigint
  ) returns table (status text, outcome text) language plpgsql volatile as $$
  begin
    perform assent.note_approval_v1(in_approval_id, in_scope, 'approved', in_asked_at, in_keep_ms);
    update assent.approvals a
      set state = 'running', holder = in_holder, lease_ms = in_lease_ms,
        lease_until = assent.clock_v1() + in_lease_ms
      where a.approval_id = in_approval_id and a.scope = in_scope and a.state = 'approved';
    if found then
      return query select 'claimed', null::text;
    else
      return query select * from assent.look_approval_v1(in_approval_id, in_scope);
    end if;
  end $$;

  create function assent.expire_approval_v1(
    in_approval_id text, in_scope text, in_asked_at bigint, in_keep_ms bigint
  ) returns table (status text, outcome text) language plpgsql volatile as $$
  begin
    if in_asked_at < assent.clock_v1() - in_keep_ms and not exists (
      select from assent.approvals a where a.approval_id = in_approval_id and a.scope = in_scope
    ) then
      return query select 'unknown', null::text;
      return;
    end if;
    perform assent.note_approval_v1(in_approval_id, in_scope, 'expired', in_asked_at, in_keep_ms);
    update assent.approvals a set state = 'expired'
      where a.approval_id = in_approval_id and a.scope = in_scope and a.state = 'approved';
    return query select * from assent.look_approval_v1(in_approval_id, in_scope);
  end $$;

  create function assent.renew_approval_v1(
    in_approval_id text, in_scope text, in_holder text, in_lease_ms bigint
  ) returns void language plpgsql volatile as $$
  begin
    -- What a crash of the database takes back shortens a lease.
    perform set_config('synchronous_commit', 'off', true);
    update assent.approvals
      set lease_until = assent.clock_v1() + in_lease_ms, lease_ms = in_lease_ms
      where approval_id = in_approval_id and scope = in_scope and holder = in_holder
        and state = 'running';
  end $$;

  create function assent.begin_answer_v1(in_conversation text, in_answer_id text, in_keep_ms bigint)
  returns setof text language plpgsql volatile as $$
  declare
    passed_ms bigint := assent.tidy_ledger_v1(in_keep_ms);
  begin
    -- Waits for the claims that are under way: they are in the list, or come too late.
    insert into assent.latest_answers as l (conversation, answer_id, noted_at)
      values (in_conversation, in_answer_id, passed_ms)
      on conflict (conversation) do update
        set answer_id = excluded.answer_id, noted_at = excluded.noted_at;
    return query select run::text from assent.untold_runs
      where conversation = in_conversation order by place;
  end $$;

  create function assent.claim_unasked_v1(
    in_conversation text, in_answer_id text, in_approval_id text, in_scope text, in_run text,
    in_holder text, in_lease_ms bigint, in_keep_ms bigint
  ) returns table (status text, outcome text) language plpgsql volatile as $$
  declare
    answer record;
  begin
    -- No other answer begins until this is over.
    perform from assent.latest_answers
      where conversation = in_conversation and answer_id = in_answer_id for share;
    if not found then
      return query select 'superseded', null::text;
      return;
    end if;
    select * into answer from assent.claim_approval_v1(in_approval_id, in_scope, in_holder,
      in_lease_ms, null, in_keep_ms);
    if answer.status = 'claimed' then
      insert into assent.untold_runs (conversation, approval_id, scope, run, noted_at)
        select in_conversation, in_approval_id, in_scope, in_run::json, passed_ms
          from assent.ledger_mark;
    end if;
    return query select answer.status, answer.outcome;
  end $$;
`
