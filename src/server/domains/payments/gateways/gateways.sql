-- Money of a payment begins its way back, all of it: out of the saldo it made (with its PPN and its
-- kode unik), or out of suspense; until it is paid out it is owed (liab:refund). Answers what it was:
-- begun: booked now
-- duplicate: begun before, or taken out of suspense
-- saldo_short: the saldo does not hold any more what the payment made: nothing is booked
-- partly_returned: its gateway gave part of it back by itself: less is left than all of it
-- frozen, closed: nothing leaves such a wallet
-- unknown: no such payment of this top-up
-- The invoice of the payment is credited with it. p_reason is what its owner reads.
-- Called by apply_adjustment. Locks the top-up, then the wallet, invoice and counter. Raises 42501 when called for
-- one account only.
create or replace function begin_refund(
  p_account uuid, p_refund uuid, p_topup uuid, p_provider text, p_txn text, p_way text,
  p_reason text, p_operator uuid, p_at timestamptz
) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  t topups%rowtype;
  p provider_payments%rowtype;
  w wallets%rowtype;
begin
  if not sees_all() then
    raise exception 'refunds are booked by work over all accounts only' using errcode = '42501';
  end if;
  select * into t from topups where account_id = p_account and topup_id = p_topup for update;
  select * into p from provider_payments
    where provider = p_provider and txn_id = p_txn and account_id = p_account and topup_id = p_topup
    for update;
  if not found or t.topup_id is null then
    return 'unknown';
  end if;
  if exists (
    select from refunds where account_id = p_account and provider = p_provider and txn_id = p_txn
  ) or exists (select from suspense_resolutions where provider = p_provider and txn_id = p_txn) then
    return 'duplicate';
  end if;
  -- Flags are written under the top-up's lock as well.
  if exists (
    select from gateway_orders
    where account_id = p_account and topup_id = p_topup and flag = 'partly_refunded'
  ) then
    return 'partly_returned';
  end if;
  if p.outcome = 'paid' then
    select * into strict w from wallets where account_id = p_account for no key update;
    if w.status <> 'active' then
      return w.status;
    end if;
    if w.available < t.credited then
      return 'saldo_short';
    end if;
    perform post_entry(p_account, 'payout', -t.credited, 'clearing', 'topup', p_topup::text,
      'refund:' || p_refund, 'operator:' || p_operator, p_reason);
    perform post_gl(p_account, p_refund, 'refund:' || p_refund, 'refund',
      array['clearing', 'liab:ppn', 'inc:kode_unik', 'liab:refund'],
      array[t.credited, t.ppn, t.income, -p.amount]);
  else
    perform post_gl(p_account, p_refund, 'refund:' || p_refund, 'refund',
      array['suspense', 'liab:refund'], array[p.amount, -p.amount]);
  end if;
  insert into refunds (
    account_id, refund_id, topup_id, provider, txn_id, amount, from_saldo, from_ppn, way, reason,
    operator_id, created_at
  ) values (
    p_account, p_refund, p_topup, p_provider, p_txn, p.amount,
    case when p.outcome = 'paid' then t.credited else 0 end,
    case when p.outcome = 'paid' then t.ppn else 0 end, p_way, p_reason, p_operator, p_at
  );
  if p.outcome = 'paid' then
    perform credit_topup_invoice(p_account, p_topup, p_refund, p_at);
  end if;
  return 'begun';
end
$$;

revoke all on function begin_refund from public;
grant execute on function begin_refund to kabari_app;

-- Money that was owed has been paid out, by the gateway or by hand; false when it was before.
-- Called by payments/gateways/refund. Locks the refund. Raises 42501 when called for one account only.
create or replace function finish_refund(
  p_account uuid, p_refund uuid, p_cash text, p_way text, p_reference text, p_at timestamptz
) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  r refunds%rowtype;
begin
  if not sees_all() then
    raise exception 'refunds are booked by work over all accounts only' using errcode = '42501';
  end if;
  select * into strict r from refunds where account_id = p_account and refund_id = p_refund for update;
  if r.status = 'done' then
    return false;
  end if;
  update refunds set status = 'done', way = p_way, reference = p_reference, done_at = p_at
    where account_id = p_account and refund_id = p_refund;
  perform post_gl(p_account, gen_random_uuid(), 'refunded:' || p_refund, 'refund_paid',
    array['liab:refund', p_cash], array[r.amount, -r.amount]);
  return true;
end
$$;

revoke all on function finish_refund from public;
grant execute on function finish_refund to kabari_app;

-- The gateway cannot give the money of a refund back: somebody has to transfer it.
-- Called by payments/gateways/refund. Locks the refund.
create or replace function refund_by_hand(p_account uuid, p_refund uuid) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update refunds set way = 'manual'
    where account_id = p_account and refund_id = p_refund and status = 'open';
end
$$;

revoke all on function refund_by_hand from public;
grant execute on function refund_by_hand to kabari_app;
