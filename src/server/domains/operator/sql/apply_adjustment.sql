-- Books what a proposal says; `applied`, or why not. Called by decide_adjustment, under the lock of the
-- proposal. While the newest check of the books was red, no money leaves.
create or replace function apply_adjustment(
  a adjustments, p_actor text, p_memo text, p_at timestamptz
) returns text
language plpgsql as $$
declare
  v_came text;
begin
  if a.kind in ('payout', 'suspense_return', 'payment_refund')
    and books_are_red() then
    return 'red';
  end if;
  if a.kind = 'payment_refund' then
    v_came := begin_refund(a.account_id, a.adjustment_id, a.topup_id, a.provider, a.txn_id,
      case a.provider when 'bank' then 'manual' else 'gateway' end, p_memo, a.proposed_by, p_at);
    return case v_came when 'begun' then 'applied' when 'duplicate' then 'given_back' else v_came end;
  end if;
  return case a.kind
    when 'adjust' then post_desk_entry(a.account_id, 'adjust', a.amount, a.gl_account, null,
      a.adjustment_id, p_actor, p_memo)
    when 'payout' then post_desk_entry(a.account_id, 'payout', a.amount, 'clearing', a.gl_account,
      a.adjustment_id, p_actor, p_memo)
    when 'refund' then refund_message(a.account_id, a.message_id, a.amount, a.adjustment_id,
      p_actor, p_memo)
    else resolve_suspense(a.account_id, a.provider, a.txn_id, a.kind = 'suspense_credit',
      a.adjustment_id, p_actor, p_memo, p_at)
  end;
end
$$;

revoke all on function apply_adjustment from public;
