-- Sums that operators gave alone since an instant, of every kind, by customer: gifts by hand
-- (given_by_desk), confirmations by a reference that no line of another operator has shown since, and top-ups paid by
-- statements that they imported, from when a line began to count; a line that was set aside shows nothing. p_operators count together; the imports of p_related show nothing.
-- Called by givenAlone, under the locks of those operators. Locks nothing.
create or replace function given_alone(p_operators uuid[], p_related uuid[], p_since timestamptz)
returns table (o_account uuid, o_amount bigint)
language plpgsql stable set search_path = public, pg_temp as $$
begin
  return query
    select given.account, sum(given.amount)::bigint from (
      select desk.o_account as account, desk.o_amount as amount
      from given_by_desk(p_operators, p_since) desk
      union all
      select d.account_id, t.received
      from topup_decisions d
      join topups t on t.account_id = d.account_id and t.topup_id = d.topup_id
      where d.operator_id = any (p_operators) and d.decision = 'confirmed'
        and d.proposed_by is null and d.at > p_since
        and not exists (
          select from bank_lines l
          where l.account_id = d.account_id and l.topup_id = d.topup_id and l.amount = t.total
            and l.dismissed_at is null and (l.imported_by is null or l.imported_by <> all (p_related))
        )
      union all
      select l.account_id, l.amount from bank_lines l
      where greatest(l.received_at, l.both_at) > p_since and l.account_id is not null
        and (
          l.imported_by = any (p_operators)
          or (l.both_by = any (p_operators) and l.imported_by = any (p_related))
        )
        and not exists (
          select from topup_decisions d
          where d.account_id = l.account_id and d.topup_id = l.topup_id
        )
    ) given group by given.account;
end
$$;

revoke all on function given_alone from public;
grant execute on function given_alone to kabari_app;
