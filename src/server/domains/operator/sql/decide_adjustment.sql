-- Decides on a proposal: p_decision is approve, refuse or withdraw. Answers what came of it:
-- done, refused, withdrawn: so it is now
-- own: the proposer approves nothing that needs a second operator
-- not_own: only the proposer withdraws
-- pending, also what is left as it was: short, frozen, closed, over, refunded, resolved, unknown,
--   given_back, partly_returned, saldo_short (a payment), red (the books are broken: nothing is paid out)
-- decided: somebody was faster; expired: its seven days are over
-- Called by decideAdjustment, with the proposal's own insert where one operator is enough. Locks the
-- proposal, then a payment or its top-up, or the wallet. Raises 42501 when called for one account only.
create or replace function decide_adjustment(
  p_account uuid, p_adjustment uuid, p_operator uuid, p_decision text, p_note text, p_at timestamptz,
  p_memo text
) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  a adjustments%rowtype;
  v_came text;
begin
  if not sees_all() then
    raise exception 'adjustments are decided by work over all accounts only' using errcode = '42501';
  end if;
  select * into strict a from adjustments
    where account_id = p_account and adjustment_id = p_adjustment for update;
  if a.status <> 'pending' then
    return 'decided';
  end if;
  if p_at >= a.expires_at then
    return 'expired';
  end if;
  if p_decision = 'withdraw' and a.proposed_by <> p_operator then
    return 'not_own';
  end if;
  if p_decision = 'approve' then
    if a.needs_second and a.proposed_by = p_operator then
      return 'own';
    end if;
    v_came := apply_adjustment(a, 'operator:' || a.proposed_by, p_memo, p_at);
    if v_came <> 'applied' then
      return v_came;
    end if;
  end if;
  update adjustments set
      status = case p_decision when 'approve' then 'done' when 'refuse' then 'refused'
        when 'withdraw' then 'withdrawn' end,
      decided_by = p_operator, decided_at = p_at, decision_note = p_note
    where account_id = p_account and adjustment_id = p_adjustment returning * into a;
  return a.status;
end
$$;

revoke all on function decide_adjustment from public;
grant execute on function decide_adjustment to kabari_app;
