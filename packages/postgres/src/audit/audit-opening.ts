/**
 * Takes the head of the chain, and reads what is needed to go on from there: the time, calls by their ids as they
 * are now, and which of some decisions are noted already. One row, or one for each call that is known.
 */
export const AUDIT_OPENING = `
  create function assent.open_audit_v1(in_calls text[], in_decisions text[])
  returns table (head_seq bigint, head_hash text, at bigint, decisions text[], call assent.tool_calls)
  language plpgsql as $$
  begin
    select h.seq, h.hash into head_seq, head_hash from assent.audit_head h for update;
    if not found then
      -- Somebody took it away. Entries that are there make what follows fail.
      insert into assent.audit_head (seq, hash) values (0, repeat('0', 64)) on conflict do nothing;
      select h.seq, h.hash into head_seq, head_hash from assent.audit_head h for update;
    end if;
    -- After the lock, so that no time is before that of the entry before.
    at := assent.clock_v1();
    decisions := array(select e.decision_id from assent.audit_entries e where e.decision_id = any(in_decisions));
    for call in select t.* from assent.tool_calls t where t.id = any(in_calls) loop
      return next;
    end loop;
    if not found then
      return next;
    end if;
  end $$;
`
