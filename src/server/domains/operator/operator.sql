-- Operators' decisions are append-only, except that erasing the account removes their texts. A pending proposal is
-- decided once (decide_adjustment).
create or replace trigger adjustments_decided_once before update on adjustments
  for each row when (old.status <> 'pending') execute function deny_unless_erasing();
create or replace trigger adjustments_never_deleted before delete on adjustments
  for each row execute function deny();
create or replace trigger wallet_freezes_append_only before update on wallet_freezes
  for each row execute function deny_unless_erasing();
create or replace trigger wallet_freezes_never_deleted before delete on wallet_freezes
  for each row execute function deny();
create or replace trigger bonus_approvals_append_only before update on bonus_approvals
  for each row execute function deny_unless_erasing();
create or replace trigger bonus_approvals_never_deleted before delete on bonus_approvals
  for each row execute function deny();
create or replace trigger message_disclosures_append_only before update on message_disclosures
  for each row execute function deny_unless_erasing();
create or replace trigger message_disclosures_never_deleted before delete on message_disclosures
  for each row execute function deny();
create or replace trigger plan_cancellations_append_only before update on plan_cancellations
  for each row execute function deny_unless_erasing();
create or replace trigger plan_cancellations_never_deleted before delete on plan_cancellations
  for each row execute function deny();

-- Stores a proposal to change a customer's money, with the columns in p_proposal; moves no money.
-- Called by propose. Locks nothing. Raises 42501 when called for one account only, 23505 for a second proposal of the
-- same request. It is a function of the owner, like the one that decides: in a distributed database, only one role may
-- write the table within a transaction.
create or replace function propose_adjustment(p_account uuid, p_adjustment uuid, p_proposal jsonb)
returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not sees_all() then
    raise exception 'adjustments are proposed by work over all accounts only' using errcode = '42501';
  end if;
  insert into adjustments (
    account_id, adjustment_id, request_key, kind, amount, gl_account, message_id, topup_id,
    provider, txn_id, reference, payee, reason, needs_second, proposed_by, proposed_at, expires_at
  ) values (
    p_account, p_adjustment, (p_proposal ->> 'request_key')::uuid, p_proposal ->> 'kind',
    (p_proposal ->> 'amount')::bigint, p_proposal ->> 'gl_account',
    (p_proposal ->> 'message_id')::uuid, (p_proposal ->> 'topup_id')::uuid,
    p_proposal ->> 'provider', p_proposal ->> 'txn_id', p_proposal ->> 'reference',
    p_proposal ->> 'payee', p_proposal ->> 'reason', (p_proposal ->> 'needs_second')::boolean,
    (p_proposal ->> 'proposed_by')::uuid, (p_proposal ->> 'proposed_at')::timestamptz,
    (p_proposal ->> 'expires_at')::timestamptz
  );
end
$$;

revoke all on function propose_adjustment from public;
grant execute on function propose_adjustment to kabari_app;

-- Decides on a proposal: p_decision is approve, refuse or withdraw. Returns the outcome:
--   done, refused, withdrawn: the new status
--   own: the proposer cannot approve a proposal that needs a second operator
--   not_own: only the proposer can withdraw
--   short, frozen, closed, over, refunded, resolved, unknown, given_back, partly_returned, saldo_short (a payment), red
--     (the ledger check is red, so payouts stop): the proposal stays pending
--   decided: another operator was faster
--   expired: the proposal is older than seven days
-- Called by decide, with the proposal's own insert where one operator is enough. Locks the proposal, then a
-- payment or its top-up, or the wallet. Raises 42501 when called for one account only.
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

-- Books a proposal; returns `applied`, or the reason it cannot be booked. While the newest ledger check is red, no
-- money leaves.
-- Called by decide_adjustment, under the lock of the proposal.
create or replace function apply_adjustment(
  a adjustments, p_actor text, p_memo text, p_at timestamptz
) returns text
language plpgsql as $$
declare
  v_came text;
begin
  if a.kind in ('payout', 'suspense_return', 'payment_refund')
    and has_broken_invariant() then
    return 'red';
  end if;
  if a.kind = 'payment_refund' then
    v_came := begin_refund(a.account_id, a.adjustment_id, a.topup_id, a.provider, a.txn_id,
      case a.provider when 'bank' then 'manual' else 'gateway' end, p_memo, a.proposed_by, p_at);
    return case v_came when 'begun' then 'applied' when 'duplicate' then 'given_back' else v_came end;
  end if;
  return case a.kind
    when 'adjust' then post_operator_entry(a.account_id, 'adjust', a.amount, a.gl_account, null,
      a.adjustment_id, p_actor, p_memo)
    when 'payout' then post_operator_entry(a.account_id, 'payout', a.amount, 'clearing', a.gl_account,
      a.adjustment_id, p_actor, p_memo)
    when 'refund' then refund_message(a.account_id, a.message_id, a.amount, a.adjustment_id,
      p_actor, p_memo)
    else resolve_suspense(a.account_id, a.provider, a.txn_id, a.kind = 'suspense_credit',
      a.adjustment_id, p_actor, p_memo, p_at)
  end;
end
$$;

revoke all on function apply_adjustment from public;

-- Sums of what operators gave alone since an instant, by customer: entries without a second operator, approved bonuses,
-- and refunds of ended plans. Called by givenAlone. Locks nothing.
create or replace function sum_unapproved_credits(p_operators uuid[], p_since timestamptz)
returns table (o_account uuid, o_amount bigint)
language sql stable set search_path = public, pg_temp as $$
  select a.account_id, abs(a.amount) from adjustments a
  where a.proposed_by = any (p_operators) and a.proposed_at > p_since and a.status = 'done'
    and not a.needs_second
  union all
  select b.account_id, b.amount from bonus_approvals b
  where b.operator_id = any (p_operators) and b.at > p_since
  union all
  select e.account_id, e.credited from plan_cancellations e
  where e.operator_id = any (p_operators) and e.at > p_since
$$;

revoke all on function sum_unapproved_credits from public;
grant execute on function sum_unapproved_credits to kabari_app;

-- Removes operators' texts about a closed account from its proposals, freezes, approvals, ended plans and message
-- disclosures; amounts, people and times stay. Called while an account is erased. Locks the rows it changes. Raises
-- 42501 when the account is not closed.
create or replace function erase_operator_notes(p_account uuid) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform begin_erasing(p_account);
  update adjustments set
      reason = '', decision_note = case when decision_note is not null then '' end,
      reference = case when reference is not null then adjustment_id::text end,
      payee = case when payee is not null then '' end
    where account_id = p_account and reason <> '';
  update bonus_approvals set reason = '' where account_id = p_account and reason <> '';
  update message_disclosures set reason = '' where account_id = p_account and reason <> '';
  update plan_cancellations set reason = '' where account_id = p_account and reason <> '';
  update wallet_freezes set reason = '' where account_id = p_account and reason <> '';
  perform set_config('app.erasing', '', true);
end
$$;

revoke all on function erase_operator_notes from public;
grant execute on function erase_operator_notes to kabari_app;
