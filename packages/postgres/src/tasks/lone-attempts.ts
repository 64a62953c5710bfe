/**
 * A task whose worker ended runs alone from then on, until that attempt is over.
 *
 * - `alone_attempt` the attempt that runs without any other task beside it: `claim_task_v2` sets it, and
 *   an attempt of another number is no suspect any more
 * - An attempt that ended with its worker is not counted, and made again alone; one that ran alone counts.
 *   After the last one the claim is spent, and whoever has it buries the task.
 */
export const LONE_ATTEMPTS = `
  alter table assent.tasks add column alone_attempt integer;

  create function assent.claim_task_v2(
    in_worker text, in_lease_ms bigint, in_is_idle boolean
  ) returns table (
    task assent.tasks, answers json, is_taken_over boolean, is_suspect boolean, is_spent boolean
  ) language plpgsql volatile as $$
  declare
    at bigint := assent.clock_v1();
    head record;
    was_alone boolean;
    spent boolean;
    suspect boolean;
    next_attempt integer;
    claimed assent.tasks;
    seen bigint;
    shown json;
  begin
    select t.id, t.worker is not null as is_lost, t.attempts, t.max_attempts, t.alone_attempt into head
      from assent.tasks t
      where t.is_head and t.wake_at is not null and t.wake_at <= at
      order by t.wake_at, t.place limit 1 for update skip locked;
    if not found then
      return;
    end if;
    was_alone := head.is_lost and head.alone_attempt is not distinct from head.attempts;
    spent := was_alone and head.attempts >= head.max_attempts;
    next_attempt := head.attempts + case when spent or (head.is_lost and not was_alone) then 0 else 1 end;
    suspect := head.is_lost or head.alone_attempt is not distinct from next_attempt;
    if suspect and not spent and not in_is_idle then
      return;
    end if;
    -- One statement: what is shown is what counts as seen.
    select coalesce(max(a.number), 0), coalesce(json_agg(a.answer order by a.number), '[]')
      into seen, shown from assent.task_answers a where a.task_id = head.id;
    update assent.tasks t
      set state = 'in_progress', worker = in_worker, wake_at = assent.clock_v1() + in_lease_ms,
        epoch = t.epoch + 1, attempts = next_attempt, updated_at = assent.clock_v1(),
        alone_attempt = case when suspect then next_attempt end, seen_answer = seen
      where t.id = head.id returning t.* into claimed;
    return query select claimed, shown, head.is_lost, suspect, spent;
  end $$;

  create function assent.replay_task_v2(in_id text) returns boolean language plpgsql volatile as $$
  begin
    if not assent.replay_task_v1(in_id) then
      return false;
    end if;
    update assent.tasks set alone_attempt = null where id = in_id and alone_attempt is not null;
    return true;
  end $$;
`
