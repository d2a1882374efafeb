-- What operators gave by themselves since an instant, by the customers it was for: entries by hand, confirmations by a
-- reference that no line of anybody else has shown since, top-ups paid by statements that they imported, approved
-- bonuses, and what ended plans gave back. p_operators count together; p_related are those whose imports show nothing.
-- Called by givenAlone, under the locks of those operators. Locks nothing.
create or replace function given_alone(p_operators uuid[], p_related uuid[], p_since timestamptz)
returns table (account_id uuid, amount bigint)
language sql stable set search_path = public, pg_temp as $$
  select given.account_id, sum(given.amount)::bigint from (
    select a.account_id, abs(a.amount) as amount from adjustments a
    where a.proposed_by = any (p_operators) and a.proposed_at > p_since and a.status = 'done'
      and not a.needs_second
    union all
    select d.account_id, t.received
    from topup_decisions d join topups t using (account_id, topup_id)
    where d.operator_id = any (p_operators) and d.decision = 'confirmed' and d.proposed_by is null
      and d.at > p_since
      and not exists (
        select from bank_lines l
        where l.account_id = d.account_id and l.topup_id = d.topup_id and l.amount = t.total
          and (l.imported_by is null or l.imported_by <> all (p_related))
      )
    union all
    select l.account_id, l.amount from bank_lines l
    where l.imported_by = any (p_operators) and l.received_at > p_since and l.account_id is not null
      and not exists (
        select from topup_decisions d
        where d.account_id = l.account_id and d.topup_id = l.topup_id
      )
    union all
    select b.account_id, b.amount from bonus_approvals b
    where b.operator_id = any (p_operators) and b.at > p_since
    union all
    select e.account_id, e.credited from plan_endings e
    where e.operator_id = any (p_operators) and e.at > p_since
  ) given group by given.account_id
$$;

revoke all on function given_alone from public;
grant execute on function given_alone to kabari_app;
