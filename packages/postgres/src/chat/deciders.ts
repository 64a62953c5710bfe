/** Who decided about a call, kept beside the decision that stands. */
export const DECIDERS = `
  alter table assent.approvals add column decided_by text;

  create function assent.decide_approval_v2(
    in_approval_id text, in_scope text, in_is_approved boolean, in_asked_at bigint, in_keep_ms bigint,
    in_by text
  ) returns boolean language plpgsql volatile as $$
  declare
    decided text := case when in_is_approved then 'approved' else 'denied' end;
  begin
    perform assent.note_approval_v1(in_approval_id, in_scope, decided, in_asked_at, in_keep_ms);
    if not in_is_approved then
      update assent.approvals set state = 'denied', decided_by = null
        where approval_id = in_approval_id and scope = in_scope and state in ('approved', 'expired');
    end if;
    update assent.approvals set decided_by = in_by
      where approval_id = in_approval_id and scope = in_scope and decided_by is null
        and state = decided and in_by is not null;
    return (select state <> 'denied' from assent.approvals
      where approval_id = in_approval_id and scope = in_scope);
  end $$;
`
