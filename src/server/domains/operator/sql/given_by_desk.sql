-- Sums that operators gave alone by hand since an instant, by customer: entries without a second operator,
-- approved bonuses, and what ended plans gave back. Called by given_alone. Locks nothing.
create or replace function given_by_desk(p_operators uuid[], p_since timestamptz)
returns table (o_account uuid, o_amount bigint)
language sql stable set search_path = public, pg_temp as $$
  select a.account_id, abs(a.amount) from adjustments a
  where a.proposed_by = any (p_operators) and a.proposed_at > p_since and a.status = 'done'
    and not a.needs_second
  union all
  select b.account_id, b.amount from bonus_approvals b
  where b.operator_id = any (p_operators) and b.at > p_since
  union all
  select e.account_id, e.credited from plan_endings e
  where e.operator_id = any (p_operators) and e.at > p_since
$$;

revoke all on function given_by_desk from public;
grant execute on function given_by_desk to kabari_app;
